// Many 16-bit floats: what is counted or summed on the way is beyond 65504, the result is not.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/evaluation/evaluation.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/ops/op_table.h"

namespace catena::testing {
namespace {

constexpr int64_t many = 70'000;

Variable halves(double value, const Shape& shape = {many}) {
    return Variable(Array::full({Dtype::float16, shape}, value));
}

/// The first result of `f(x)`, eager and compiled, where there is a compiler.
void expect_everywhere(const std::function<Variable(const Variable&)>& f, const Variable& x,
                       double expected) {
    auto first = [](const Variable& y) { return y.array().to_vector<double>()[0]; };
    const double tolerance = 4e-3 * std::abs(expected);  // 1 / 70000 is subnormal.
    EXPECT_NEAR(first(f(x)), expected, tolerance);
    if (!compiled()) return;
    auto run = [&](const std::vector<Variable>& xs) { return Variables{f(xs[0])}; };
    EXPECT_NEAR(first(compiled()(run, {x})[0]), expected, tolerance) << "compiled";
}

/// float32 of all kinds, NaN among them: neighbours in every exponent.
std::vector<float> floats_of_all_kinds() {
    std::vector<float> values;
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 40'009)
        values.push_back(std::bit_cast<float>(uint32_t(bits)));
    for (float edge :
         {65504.f, 65519.99f, 65520.f, 6e-8f, 2.98e-8f, 2.981e-8f, 0.f, -0.f, INFINITY, -INFINITY})
        values.push_back(edge);
    return values;
}

template <class T>
void expect_rows_converted_as_elements() {
    const std::vector<float> values = floats_of_all_kinds();
    const Array rounded = Array::from(values, {int64_t(values.size())}).astype(dtype_of<T>);
    const T* narrow = rounded.elements<T>();
    for (size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(narrow[i].bits, T(values[i]).bits) << values[i];
    std::vector<T> all(1 << 16);
    for (size_t i = 0; i < all.size(); ++i) all[i].bits = uint16_t(i);
    const Array wide = Array::from(all, {int64_t(all.size())}).astype(Dtype::float32);
    for (size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(std::bit_cast<uint32_t>(wide.elements<float>()[i]),
                  std::bit_cast<uint32_t>(float(all[i])))
            << i;
}

TEST(Half, rows_are_converted_as_single_elements_are) {
    expect_rows_converted_as_elements<catena::Half>();
    expect_rows_converted_as_elements<BFloat16>();
}

TEST(Half, logsumexp_of_many_equal_values) {
    expect_everywhere([](const Variable& x) { return logsumexp(x); }, halves(3),
                      3 + std::log(double(many)));
}

TEST(Half, softmax_of_many_equal_values) {
    const Variable x = halves(3, {1, many});
    expect_everywhere([](const Variable& x) { return softmax(x); }, x, 1.0 / many);
    expect_everywhere([](const Variable& x) { return log_softmax(x); }, x, -std::log(double(many)));
}

TEST(Half, the_gradient_of_log_softmax_sums_large_gradients) {
    const Array large =
        Array::from({6e4, 6e4, 6e4, 6e4, 0.0, 0.0, 0.0, 0.0}).astype(Dtype::float16);
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
