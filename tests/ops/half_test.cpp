// Many 16-bit floats: what is counted or summed on the way is beyond 65504, the result is not.
#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/arithmetic.h"
#include "runtime/graph/gradient.h"
#include "runtime/graph/variable_math.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/evaluation/evaluation.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/reduction.h"
#include "tests/ops/op_table.h"

namespace catena::testing {
namespace {

constexpr int64_t many = 70'000;

Variable halves(double value, const Shape& shape = {many}) {
    return Variable(Array::full({Dtype::float16, shape}, value));
}

/// The first result of `f(x)`, eager and compiled, where there is a compiler.
void expect_everywhere(const std::function<Variable(const Variable&)>& f, const Variable& x, double expected) {
    auto first = [](const Variable& y) { return y.array().to_vector<double>()[0]; };
    const double tolerance = 4e-3 * std::abs(expected);  // 1 / 70000 is subnormal.
    EXPECT_NEAR(first(f(x)), expected, tolerance);
    if (!compiled()) return;
    auto run = [&](const std::vector<Variable>& xs) { return Variables{f(xs[0])}; };
    EXPECT_NEAR(first(compiled()(run, {x})[0]), expected, tolerance) << "compiled";
}

TEST(Half, logsumexp_of_many_equal_values) {
    expect_everywhere([](const Variable& x) { return logsumexp(x); }, halves(3), 3 + std::log(double(many)));
}

TEST(Half, softmax_of_many_equal_values) {
    const Variable x = halves(3, {1, many});
    expect_everywhere([](const Variable& x) { return softmax(x); }, x, 1.0 / many);
    expect_everywhere([](const Variable& x) { return log_softmax(x); }, x, -std::log(double(many)));
}

TEST(Half, the_gradient_of_log_softmax_sums_large_gradients) {
    const Array large = Array::from({6e4, 6e4, 6e4, 6e4, 0.0, 0.0, 0.0, 0.0}).astype(Dtype::float16);
    auto gradient = [&](const Variable& x) {
        const Variable y = log_softmax(x, 0), gy(large, false);
        return grad(std::span(&y, 1), std::span(&x, 1), std::span(&gy, 1))[0];
    };
    expect_everywhere(gradient, halves(3, {8}), 6e4 - 24e4 / 8);
}

TEST(Half, variance_of_large_values) {
    const Variable x(Array::from({-300.0, 200.0, 0.0, 0.0}).astype(Dtype::float16));
    expect_everywhere([](const Variable& x) { return variance(x); }, x, 31'875);
}

TEST(Half, the_gradient_of_a_mean_of_many_is_not_lost) {
    const Variable x = halves(1);
    auto gradient = [](const Variable& x) {
        const Variable y = mean_squared_error(x, Variable(Array::zeros(x.type()), false));
        const Variable gy(Array::full(y.type(), 1024), false);
        return grad(std::span(&y, 1), std::span(&x, 1), std::span(&gy, 1))[0];
    };
    expect_everywhere(gradient, x, 2.0 * 1024 / many);
}

TEST(Half, labels_are_counted_beyond_the_largest_number) {
    const Variable labels(Array::full({Dtype::int32, {many}}, 1), false);
    EXPECT_EQ(binary_accuracy(halves(2), labels).item<double>(), 1);
    const double loss = sigmoid_cross_entropy(halves(0), labels).item<double>();
    EXPECT_NEAR(loss, std::log(2.0), 1e-3);
}

}  // namespace
}  // namespace catena::testing
