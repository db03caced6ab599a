// Powers of usual numbers, which are maps of their own, hold at every special value what std::pow
// gives.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/walk/backward.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> specials = {0.f,       -0.f, 1.f,    -1.f,   2.5f,  -2.5f, infinity,
                                     -infinity, nan,  1e-30f, -1e30f, 3e38f, 1e-42f};
const std::vector<double> exponents = {2, 3, -1, 0.5, 1};

/// The same number, zero of either sign told apart; NaN is NaN.
void expect_same(float value, double truth, double exponent, float x) {
    if (std::isnan(truth)) {
        EXPECT_TRUE(std::isnan(value)) << x << " ** " << exponent;
        return;
    }
    EXPECT_EQ(std::signbit(value), std::signbit(truth)) << x << " ** " << exponent;
    EXPECT_FLOAT_EQ(value, float(truth)) << x << " ** " << exponent;
}

void expect_powers(const std::function<Variable(const Variable&)>& power, double exponent) {
    const Variable x(Array::from(specials, {int64_t(specials.size())}));
    const Variable y = power(x);
    const std::vector<float> values = y.array().to_vector<float>(),
                             slopes = grad({y}, {x})[0].array().to_vector<float>();
    for (size_t i = 0; i < specials.size(); ++i) {
        expect_same(values[i], std::pow(specials[i], float(exponent)), exponent, specials[i]);
        expect_same(slopes[i], exponent * double(std::pow(specials[i], float(exponent - 1))),
                    exponent, specials[i]);
    }
}

TEST(Powers, of_special_values_and_their_gradients_are_those_of_pow) {
    for (double exponent : exponents)
        expect_powers([&](const Variable& x) { return pow(x, exponent); }, exponent);
}

TEST(Powers, of_special_values_in_a_region_are_those_of_pow) {
    if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
    for (double exponent : exponents) {
        auto region = static_graph([&](const Variable& x) { return pow(x, exponent); });
        for (int call = 0; call < 3; ++call)
            expect_powers([&](const Variable& x) { return region(x); }, exponent);
        EXPECT_GT(region.statistics().compiled_calls, 0);
    }
}

TEST(Powers, of_a_cell_follow_its_number) {
    Cell exponent(2);
    auto region = static_graph([&](const Variable& x) { return pow(x, exponent); });
    const Variable x(Array::from<float>({3.f}), false);
    for (double number : {2., 2., 2., 3., 0.5, 2.5}) {
        exponent = number;
        EXPECT_FLOAT_EQ(region(x).item<float>(), std::pow(3.f, float(number)));
        EXPECT_FLOAT_EQ(pow(x, exponent).item<float>(), std::pow(3.f, float(number)));
    }
}

TEST(Powers, of_a_number_that_changes_between_calls_follow_it) {
    double exponent = 2;
    auto region = static_graph([&](const Variable& x) { return pow(x, exponent); });
    const Variable x(Array::from<float>({3.f}), false);
    for (double number : {2.5, 2.5, 2.5, 2., 2., 3., 2.25, 0.5}) {
        exponent = number;
        EXPECT_FLOAT_EQ(region(x).item<float>(), std::pow(3.f, float(number)));
    }
}

TEST(Powers, of_0_have_no_gradient_towards_0) {
    const Variable x(Array::from<float>({0.f, 2.f})), base(Array::from<float>({0.f, 2.f})),
        zero(Array::from<float>({0.f, 0.f}));
    sum(pow(x, 0.0)).backward();
    sum(pow(base, zero)).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0}));
    EXPECT_EQ(base.grad().to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(Powers, of_integers_to_an_integer_are_floats) {
    const Variable x(Array::from<int32_t>({1, 2}), false);
    for (int exponent : {1, 2, 3, -1, 4}) {
        const Array y = pow(x, exponent).array();
        EXPECT_EQ(y.dtype(), Dtype::float32);
        EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, std::ldexp(1.0f, exponent)}));
    }
}

}  // namespace
}  // namespace catena
