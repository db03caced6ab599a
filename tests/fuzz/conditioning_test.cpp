// What rounding of inputs explains, and what it does not.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/graph/op/arithmetic.h"
#include "tests/fuzz/conditioning.h"

namespace catena::fuzz {
namespace {

Variable of(std::vector<double> numbers) {
    return Variable(Array::from(numbers, {int64_t(numbers.size())}), false);
}

TEST(Conditioning, a_difference_of_large_squares_is_explained) {
    const auto run = [](const Values& in) {
        return ((in[0] - 1.0) * (in[0] - 1.0) - (in[0] + 1.0) * (in[0] + 1.0)).array();
    };
    EXPECT_TRUE(follows_from_rounded_inputs(run, {of({123456789.123})},
                                            of({-4 * 123456789.123 + 5}).array()));
    EXPECT_FALSE(follows_from_rounded_inputs(run, {of({3})}, of({-12.001}).array()));
    EXPECT_FALSE(follows_from_rounded_inputs(run, {of({1e8})}, of({-4.1e8}).array()));
}

TEST(Conditioning, a_number_in_place_of_infinity_is_explained_at_the_brink_only) {
    const auto run = [](const Values& in) { return (in[0] * in[0]).array(); };
    const double brink = std::sqrt(1.7976931348623157e308);
    EXPECT_TRUE(follows_from_rounded_inputs(run, {of({brink})}, of({INFINITY}).array()));
    EXPECT_FALSE(follows_from_rounded_inputs(run, {of({1e200})}, of({1e300}).array()));
    EXPECT_FALSE(follows_from_rounded_inputs(run, {of({2})}, of({NAN}).array()));
}

}  // namespace
}  // namespace catena::fuzz
