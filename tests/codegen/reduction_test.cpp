#include <cmath>

#include <gtest/gtest.h>

#include "runtime/core/parallel.h"
#include "runtime/ops/arithmetic.h"
#include "runtime/ops/math.h"
#include "runtime/ops/movement.h"
#include "runtime/ops/reduction.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

Array f32(const Shape& shape, uint32_t seed = 1) { return random_array({Dtype::float32, shape}, seed); }

std::vector<Variable> softmax_of_rows(const std::vector<Variable>& x) {
    Variable shifted = exp(x[0] - max(x[0], 1, true));
    return {shifted / sum(shifted, 1, true)};
}

/// Sums, products and extremes of an elementwise function over `axes`.
Function all_over(const Axes& axes, bool keepdims) {
    return [=](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable y = x[0] * x[0] - 0.5;
        return {sum(y, axes, keepdims), max(y, axes, keepdims), min(y, axes, keepdims),
                prod(y * 0.01 + 1.0, axes, keepdims)};
    };
}

}  // namespace

TEST(reduction, over_every_choice_of_axes) {
    for (const Axes& axes : std::vector<Axes>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}})
        for (bool keepdims : {false, true}) {
            SCOPED_TRACE(to_string(axes));
            expect_as_near_as_eager(all_over(axes, keepdims), {f32({5, 7, 19})});
        }
}

TEST(reduction, of_every_size_of_row) {
    for (int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 127, 1000})
        expect_as_near_as_eager(all_over({1}, false), {f32({3, n})}, 20);  // A product rounds n times.
}

TEST(reduction, of_every_size_of_column) {
    for (int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 127, 1000})
        expect_as_near_as_eager(all_over({0}, false), {f32({3, n})});
}

TEST(reduction, of_nothing_gives_the_neutral_element) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> { return {sum(x[0] * 2.0, 1), sum(x[0])}; };
    expect_as_near_as_eager(f, {f32({4, 0})});
    expect_as_near_as_eager(f, {f32({0, 4})});
}

TEST(reduction, of_strided_and_broadcast_inputs) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable t = transpose(x[0]);
        return {sum(t * t, 1), sum(t * t, 0), sum(broadcast_to(x[1], {35, 19}) * 1.5, 0),
                sum(broadcast_to(x[1], {35, 19}) * 1.5, 1)};
    };
    expect_as_near_as_eager(f, {f32({19, 35}), f32({19}, 2)});
}

TEST(reduction, of_other_dtypes) {
    for (Dtype dtype : {Dtype::float64, Dtype::float16, Dtype::bfloat16, Dtype::int32, Dtype::uint8, Dtype::bool_}) {
        SCOPED_TRACE(name_of(dtype));
        auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> { return {sum(x[0], 0), sum(x[0], 1), max(x[0], 1)}; };
        expect_as_near_as_eager(f, {random_array({dtype, {21, 37}}, 3, 0, 5)});
    }
}

TEST(reduction, softmax_is_one_kernel) {
    Region region(softmax_of_rows, {f32({20, 130})});
    EXPECT_EQ(region.info().kernels, 1);
    EXPECT_EQ(region.info().steps, 1);
    for (int64_t n : {1, 10, 16, 100, 1000, 10007}) expect_as_near_as_eager(softmax_of_rows, {f32({9, n})});
}

TEST(reduction, softmax_of_one_long_row_is_split) {
    expect_as_near_as_eager(softmax_of_rows, {f32({1, 1'000'003})});
    expect_as_near_as_eager(softmax_of_rows, {f32({2, 500'003})});
}

TEST(reduction, full_sums_of_large_arrays_are_split) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable y = x[0] * 2.0;
        return {y, sum(y * x[0]), sum(y) / 3.0};
    };
    Region region(f, {f32({1'000'003})});
    EXPECT_GT(region.info().steps, 1);
    expect_as_near_as_eager(f, {f32({1'000'003})});
    expect_as_near_as_eager(f, {f32({1'000, 1'003})});
}

TEST(reduction, columns_of_tall_arrays_are_split) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {sum(x[0], 0), sum(x[0] * x[0], 0) * 0.5, sum(x[0], Axes{0, 2})};
    };
    expect_as_near_as_eager(f, {f32({20'001, 3, 7})}, 30);  // The sums are small, their parts are not.
}

TEST(reduction, nan_is_the_largest_and_the_smallest) {
    Array x = Array::from<float>({1, NAN, 3, 4, 5, 6, -INFINITY, INFINITY}, {4, 2});
    auto f = [](const std::vector<Variable>& v) -> std::vector<Variable> {
        return {max(v[0], 0), max(v[0], 1), min(v[0], 0), min(v[0], 1), sum(v[0], 1)};
    };
    expect_as_near_as_eager(f, {x});
}

TEST(reduction, results_do_not_depend_on_the_thread_count) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable y = exp(x[0]);
        return {sum(y), sum(y, 0), sum(y, 1), y / sum(y, 1, true)};
    };
    int threads = thread_count();
    for (const Shape& shape : {Shape{1500, 700}, Shape{3, 400'000}, Shape{100'000, 5}}) {
        Region region(f, {f32(shape)});
        set_thread_count(1);
        std::vector<Array> alone = region.run();
        set_thread_count(3);
        std::vector<Array> three = region.run();
        set_thread_count(threads);
        for (size_t i = 0; i < alone.size(); ++i)
            EXPECT_EQ(alone[i].to_vector<float>(), three[i].to_vector<float>());
    }
}

}  // namespace catena::test
