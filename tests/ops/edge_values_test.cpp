// Values at the ends of ranges, where a formula that is right in the middle overflows or rounds
// across an integer.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/math/division.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"
#include "runtime/ops/spatial/spatial_transformer.h"

namespace catena::testing {
namespace {

template <class T>
Variable vector(std::initializer_list<T> values) {
    return Array::from(values);
}

TEST(EdgeValues, hyperbolic_functions_overflow_where_their_values_do) {
    for (const double x : {80.5, 700.0, 709.9, 710.4}) {
        EXPECT_NEAR(cosh(vector({x})).item<double>() / std::cosh(x), 1, 1e-15 * 4) << x;
        EXPECT_NEAR(sinh(vector({-x})).item<double>() / std::sinh(-x), 1, 1e-15 * 4) << x;
    }
    EXPECT_NEAR(cosh(vector({89.0f})).item<float>() / std::cosh(89.0), 1, 1e-6);
    EXPECT_NEAR(sinh(vector({89.0f})).item<float>() / std::sinh(89.0), 1, 1e-6);
    EXPECT_EQ(sinh(vector({-720.0})).item<double>(), -INFINITY);
}

TEST(EdgeValues, a_quotient_that_rounds_up_to_an_integer_is_below_it) {
    EXPECT_EQ(floor_divide(vector({1.0}), vector({0.1})).item<double>(), 9);
    EXPECT_EQ(floor_divide(vector({-1.0}), vector({0.1})).item<double>(), -10);
    EXPECT_EQ(floor_divide(vector({1.0f}), vector({0.1f})).item<float>(), 9);
    EXPECT_EQ(floor_divide(vector({5e15}), vector({1.0})).item<double>(), 5e15);
    EXPECT_EQ(floor_divide(vector({-1.0}), vector({double(INFINITY)})).item<double>(), -1);
    EXPECT_TRUE(std::isnan(floor_divide(vector({double(INFINITY)}), vector({2.0})).item<double>()));
    EXPECT_EQ(floor_divide(vector({-3.0}), vector({0.0})).item<double>(), -INFINITY);
}

TEST(EdgeValues, quotients_of_the_least_integer_do_not_overflow) {
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    for (const int64_t divisor : {3, 7, 63, 100, -3, -7}) {
        const int64_t expected = least / divisor - (least % divisor != 0 && divisor > 0);
        EXPECT_EQ(floor_divide(vector({least}), vector({divisor})).item<int64_t>(), expected)
            << divisor;
    }
}

TEST(EdgeValues, a_picture_read_at_no_number_gives_none) {
    const Variable x = Array::from(std::vector<float>{0, 1, 2, 3}, {1, 1, 2, 2});
    const Variable grid = Array::from(std::vector<float>{NAN, 0, INFINITY, 0, 0, 0}, {1, 2, 1, 3});
    const std::vector<float> y = spatial_transformer_sampler(x, grid).array().to_vector<float>();
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[1], 1.5f);
    EXPECT_EQ(y[2], 0.0f);
}

TEST(EdgeValues, zeta_far_away_is_zero) {
    EXPECT_EQ(zeta(vector({2.0}), vector({double(INFINITY)})).item<double>(), 0);
    EXPECT_EQ(polygamma(1, vector({float(INFINITY)})).item<float>(), 0);
}

TEST(EdgeValues, no_part_of_an_inverse_looks_as_if_it_did_not_depend_on_nan) {
    const Variable a = Array::from(std::vector<float>{NAN, 1, 1, 2}, {2, 2});
    for (const float v : inv(a).array().to_vector<float>()) EXPECT_TRUE(std::isnan(v));
    for (const float v :
         solve(a, Array::from(std::vector<float>{1, 2}, {2, 1})).array().to_vector<float>())
        EXPECT_TRUE(std::isnan(v));
    EXPECT_TRUE(std::isnan(det(a).item<float>()));
    EXPECT_THROW(cholesky(a), ValueError);
}

TEST(EdgeValues, shares_of_large_numbers_keep_their_logarithm) {
    // Along a row, and beside other positions.
    for (const Shape& shape : {Shape{1, 2}, Shape{1, 2, 1}}) {
        const Variable x = Array::from(std::vector<float>{3e7f, 3e7f}, shape);
        EXPECT_FLOAT_EQ(log_softmax(x).array().to_vector<float>()[1], std::log(0.5f));
        Shape labels = shape;
        labels.erase(1);
        EXPECT_FLOAT_EQ(
            softmax_cross_entropy(x, Array::zeros({Dtype::int32, labels})).item<float>(),
            std::log(2.0f));
    }
}

}  // namespace
}  // namespace catena::testing
