#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/codegen/region.h"

namespace catena::test {

namespace {

Array f32(const Shape& shape, uint32_t seed = 1) {
    return random_array({Dtype::float32, shape}, seed);
}

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
        expect_as_near_as_eager(all_over({1}, false), {f32({3, n})},
                                20);  // A product rounds n times.
}

TEST(reduction, of_every_size_of_column) {
    for (int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 127, 1000})
        expect_as_near_as_eager(all_over({0}, false), {f32({3, n})});
}

TEST(reduction, of_nothing_gives_the_neutral_element) {
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        return {sum(x[0] * 2.0, 1), sum(x[0])};
    };
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
    for (Dtype dtype : {Dtype::float64, Dtype::float16, Dtype::bfloat16, Dtype::int32, Dtype::uint8,
                        Dtype::bool_}) {
        SCOPED_TRACE(name_of(dtype));
        auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
            return {sum(x[0], 0), sum(x[0], 1), max(x[0], 1)};
        };
        expect_as_near_as_eager(f, {random_array({dtype, {21, 37}}, 3, 0, 5)});
    }
}

TEST(reduction, softmax_is_one_kernel) {
    Region region(softmax_of_rows, {f32({20, 130})});
    EXPECT_EQ(region.info().kernels, 1);
    EXPECT_EQ(region.info().steps, 1);
    for (int64_t n : {1, 10, 16, 100, 1000, 10007})
        expect_as_near_as_eager(softmax_of_rows, {f32({9, n})});
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
    expect_as_near_as_eager(f, {f32({20'001, 3, 7})},
                            30);  // The sums are small, their parts are not.
}

namespace {

/// Of rows and of columns, of values that need a reduction of the row and of values that do not.
std::vector<Variable> rows_and_columns(const std::vector<Variable>& v) {
    const Variable &x = v[0], &gy = v[1], &gamma = v[2];
    double scale = 1.0 / double(x.shape()[x.shape().rank() - 1]);
    int last = x.shape().rank() - 1;
    Axes others;
    for (int axis = 0; axis < last; ++axis) others.push_back(axis);
    Variable normal = x - sum(x, last, true) * scale;
    Variable g = gy * gamma;
    Variable gx = g - normal * (sum(g * normal, last, true) * scale);
    return {gx, sum(gy * normal, others), sum(gy, others), max(gx, others, true)};
}

}  // namespace

TEST(reduction, of_columns_beside_rows_is_one_pass) {
    Region region(rows_and_columns, {f32({300, 130}), f32({300, 130}, 2), f32({130}, 3)});
    EXPECT_EQ(region.info().kernels, 2);  // The second combines the blocks.
    EXPECT_EQ(region.info().library_calls, 0);
}

TEST(reduction, of_columns_beside_rows_of_every_size) {
    for (int64_t rows : {64, 65, 100, 1000, 4097})
        for (int64_t columns : {2, 7, 16, 33, 130}) {
            SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
            expect_as_near_as_eager(
                rows_and_columns,
                {f32({rows, columns}), f32({rows, columns}, 2), f32({columns}, 3)}, 20);
        }
}

TEST(reduction, of_columns_beside_rows_that_do_not_collapse) {
    // gy repeats along the middle, so that two kept dimensions remain.
    auto f = [](const std::vector<Variable>& v) {
        return rows_and_columns({v[0], broadcast_to(v[1], v[0].shape()), v[2]});
    };
    expect_as_near_as_eager(f, {f32({40, 5, 37}), f32({40, 1, 37}, 2), f32({37}, 3)}, 20);
    expect_as_near_as_eager(f, {f32({3, 500, 37}), f32({3, 1, 37}, 2), f32({37}, 3)}, 20);
}

TEST(reduction, of_columns_beside_rows_in_other_dtypes) {
    for (Dtype dtype : {Dtype::float64, Dtype::float16, Dtype::bfloat16}) {
        SCOPED_TRACE(name_of(dtype));
        auto array = [&](const Shape& shape, uint32_t seed) {
            return random_array({dtype, shape}, seed, 0, 1);
        };
        expect_as_near_as_eager(rows_and_columns,
                                {array({200, 37}, 1), array({200, 37}, 2), array({37}, 3)}, 20);
    }
}

TEST(reduction, of_columns_beside_rows_does_not_depend_on_threads) {
    Region region(rows_and_columns, {f32({1000, 130}), f32({1000, 130}, 2), f32({130}, 3)});
    int threads = thread_count();
    set_thread_count(1);
    auto one = region.run();
    set_thread_count(std::max(threads, 2));
    auto several = region.run();
    set_thread_count(threads);
    for (size_t i = 0; i < one.size(); ++i)
        EXPECT_EQ(one[i].to_vector<float>(), several[i].to_vector<float>());
}

TEST(reduction, exponentials_of_a_row_are_kept_for_its_later_stages) {
    // A row that is too long is recomputed; both forms agree with eager.
    for (int64_t n : {1, 15, 16, 17, 1000, 70'001})
        expect_as_near_as_eager(softmax_of_rows, {f32({3, n})});
    auto f = [](const std::vector<Variable>& x) -> std::vector<Variable> {
        Variable a = exp(x[0]), b = tanh(x[0]);
        Variable s = sum(a, 1, true), c = exp(x[0] - s * 0.001) * b;
        return {a / s + b, c / sum(c, 1, true), max(a * c, 1)};
    };
    for (int64_t n : {1, 31, 100, 1000}) expect_as_near_as_eager(f, {f32({5, n})}, 20);
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
