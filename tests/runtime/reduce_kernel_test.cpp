#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/blocks/reduce_kernel.h"
#include "tests/runtime/kernel_call.h"

namespace catena {
namespace {

using test::random_array;
using test::whole_array;

Shape reduced_shape(const Shape& shape, const Axes& axes) {
    Shape kept;
    for (int i = 0; i < shape.rank(); ++i)
        if (!axes.contains(i)) kept.push_back(shape[i]);
    return kept;
}

Array reduce(Combine combine, const Array& x, const Axes& axes, Dtype dtype) {
    OpDef op;
    op.name = "a reduction of the tests";
    op.kind = Kind::reduce;
    op.combine = combine;
    const std::vector<Array> inputs = {x};
    std::vector<Array> outputs = {Array::empty({dtype, reduced_shape(x.shape(), axes)})};
    const Attributes attributes{{"axes", axes}, {"keepdims", false}};
    run_reduce({op, inputs, outputs, attributes, {}});
    return outputs[0];
}

double combined(Combine combine, double a, double b) {
    switch (combine) {
        case Combine::sum:
            return a + b;
        case Combine::product:
            return a * b;
        case Combine::maximum:
            return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
        default:
            return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    }
}

std::vector<double> naive(Combine combine, const Array& x, const Axes& axes) {
    const std::vector<double> values = x.to_vector<double>();
    const Shape kept = reduced_shape(x.shape(), axes);
    std::vector<double> result(size_t(element_count(kept)));
    std::vector<bool> started(result.size());
    for (int64_t i = 0; i < x.size(); ++i) {
        int64_t rest = i, at = 0, step = 1;
        for (int d = x.rank() - 1; d >= 0; --d) {
            if (!axes.contains(d)) {
                at += rest % x.dim(d) * step;
                step *= x.dim(d);
            }
            rest /= x.dim(d);
        }
        result[size_t(at)] = started[size_t(at)]
                                 ? combined(combine, result[size_t(at)], values[size_t(i)])
                                 : values[size_t(i)];
        started[size_t(at)] = true;
    }
    return result;
}

const std::vector<std::pair<Shape, std::vector<Axes>>> cases = {
    {{7}, {{0}}},
    {{5000}, {{0}}},
    {{}, {{}}},
    {{3, 4}, {{}, {0}, {1}, {0, 1}}},
    {{300, 17}, {{0}, {1}, {0, 1}}},
    {{5, 9001}, {{0}, {1}}},
    {{4, 3, 5, 6}, {{0}, {1}, {2}, {3}, {0, 2}, {0, 2, 3}, {1, 3}, {0, 3}, {1, 2}, {0, 1, 2, 3}}},
    {{2, 1, 700, 3}, {{2}, {1}, {0, 2}, {3}}},
    {{1, 1, 1}, {{0, 1, 2}}},
};

TEST(Reduce, agrees_with_a_plain_loop_in_every_dtype_and_along_all_axes) {
    for (Combine combine : {Combine::sum, Combine::product, Combine::maximum, Combine::minimum})
        for (int d = 0; d < dtype_count; ++d)
            for (const auto& [shape, lists] : cases)
                for (const Axes& axes : lists) {
                    // Of products only signs and small powers stay exact.
                    const bool product = combine == Combine::product;
                    const Array x = product ? whole_array(Dtype(d), shape, 3, 0.9, 2)
                                            : whole_array(Dtype(d), shape, 3,
                                                          d == int(Dtype::uint8) ? 0 : -2, 3);
                    const Dtype dtype = is_float(Dtype(d)) ? Dtype::float64 : Dtype::int64;
                    EXPECT_EQ(reduce(combine, x, axes, dtype).to_vector<double>(),
                              naive(combine, x, axes))
                        << int(combine) << ' ' << to_string(x.type()) << ' ' << to_string(axes);
                }
}

TEST(Reduce, takes_any_strides) {
    const Array base = whole_array(Dtype::float32, {60, 50, 4}, 1);
    const Array views[] = {
        base.view({50, 60, 4}, {4, 200, 1}, 0),
        base.view({4, 50, 60}, {1, 4, 200}, 0),
        base.view({30, 50, 2}, {400, 4, 2}, 1),
        base.view({60, 50, 4}, {-200, -4, -1}, 60 * 50 * 4 - 1),
        base.view({60, 7, 50}, {200, 0, 4}, 0),
    };
    for (const Array& x : views)
        for (const Axes& axes :
             {Axes{0}, Axes{1}, Axes{2}, Axes{0, 1}, Axes{0, 2}, Axes{1, 2}, Axes{0, 1, 2}})
            for (Combine combine : {Combine::sum, Combine::maximum})
                EXPECT_EQ(reduce(combine, x, axes, Dtype::float32).to_vector<double>(),
                          naive(combine, x, axes))
                    << to_string(x.shape()) << to_string(x.strides()) << to_string(axes);
}

TEST(Reduce, long_float32_sums_stay_near_the_truth) {
    for (const Shape& shape : {Shape{1, 3'000'000}, Shape{3'000'000, 1}, Shape{100'000, 8}}) {
        const Array x = random_array(Dtype::float32, shape, 11, 0, 1);
        const Axes axes = shape[0] == 1 ? Axes{1} : Axes{0};
        const std::vector<double> truth = naive(Combine::sum, x, axes);
        const std::vector<float> got =
            reduce(Combine::sum, x, axes, Dtype::float32).to_vector<float>();
        for (size_t i = 0; i < got.size(); ++i)
            EXPECT_NEAR(got[i], truth[i], truth[i] * 3e-7) << to_string(shape);
    }
}

TEST(Reduce, half_precision_accumulates_in_single) {
    const Array x = Array::full({Dtype::float16, {20'000}}, 0.1);
    const double truth = 20'000 * x.view({1}, {1}, 0).item<double>();
    EXPECT_NEAR(reduce(Combine::sum, x, {0}, Dtype::float16).item<double>(), truth,
                1);  // Half a step of float16.
}

TEST(Reduce, nan_wins_wherever_it_stands) {
    for (int64_t at : {0, 1, 17, 500, 998}) {
        std::vector<float> values(999, 1);
        values[size_t(at)] = NAN;
        for (Combine combine : {Combine::maximum, Combine::minimum}) {
            EXPECT_TRUE(std::isnan(
                reduce(combine, Array::from(values, {999}), {0}, Dtype::float32).item<float>()))
                << at;
            EXPECT_TRUE(
                std::isnan(reduce(combine, Array::from(values, {999, 1}), {0}, Dtype::float32)
                               .to_vector<float>()[0]));
            const Array columns =
                reduce(combine, Array::from(values, {333, 3}), {0}, Dtype::float32);
            int nans = 0;
            for (float value : columns.to_vector<float>()) nans += std::isnan(value);
            EXPECT_EQ(nans, 1);
        }
    }
}

TEST(Reduce, infinities_are_ordinary_extremes) {
    const float inf = std::numeric_limits<float>::infinity();
    const Array x = Array::from<float>({-inf, -inf});
    EXPECT_EQ(reduce(Combine::maximum, x, {0}, Dtype::float32).item<float>(), -inf);
    EXPECT_EQ(reduce(Combine::sum, x, {0}, Dtype::float32).item<float>(), -inf);
}

TEST(Reduce, of_nothing_the_sum_is_zero_and_the_largest_an_error) {
    const Array x = Array::zeros({Dtype::float32, {3, 0}});
    EXPECT_EQ(reduce(Combine::sum, x, {1}, Dtype::float32).to_vector<float>(),
              (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(reduce(Combine::product, x, {1}, Dtype::float32).to_vector<float>(),
              (std::vector<float>{1, 1, 1}));
    EXPECT_EQ(reduce(Combine::maximum, x, {0}, Dtype::float32).size(), 0);
    try {
        reduce(Combine::maximum, x, {1}, Dtype::float32);
        FAIL() << "not refused";
    } catch (const ValueError& error) {
        EXPECT_NE(std::string(error.what()).find("a reduction of the tests: x float32[3,0]"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Reduce, integer_sums_wrap_and_bools_count) {
    const int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(
        reduce(Combine::sum, Array::from<int64_t>({most, 1}), {0}, Dtype::int64).item<int64_t>(),
        -most - 1);
    EXPECT_EQ(reduce(Combine::sum, Array::full({Dtype::bool_, {1000}}, 1), {0}, Dtype::int64)
                  .item<int64_t>(),
              1000);
    EXPECT_EQ(reduce(Combine::maximum, Array::from<int64_t>({most, most - 1}), {0}, Dtype::int64)
                  .item<int64_t>(),
              most);
}

TEST(Reduce, results_do_not_depend_on_the_number_of_threads) {
    const int before = thread_count();
    const std::vector<std::pair<Shape, Axes>> large = {
        {{1'000'003}, {0}}, {{3, 400'001}, {1}}, {{300'001, 5}, {0}},
        {{2000, 700}, {0}}, {{2000, 700}, {1}},  {{64, 16, 30, 30}, {0, 2, 3}}};
    for (const auto& [shape, axes] : large) {
        const Array x = random_array(Dtype::float32, shape, 7);
        std::vector<std::vector<float>> results;
        for (int threads : {1, 2, 3}) {
            set_thread_count(threads);
            results.push_back(reduce(Combine::sum, x, axes, Dtype::float32).to_vector<float>());
        }
        EXPECT_EQ(results[0], results[1]) << to_string(shape);
        EXPECT_EQ(results[0], results[2]) << to_string(shape);
    }
    set_thread_count(before);
}

}  // namespace
}  // namespace catena
