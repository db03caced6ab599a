// What the comparison of a device's training with the host's lets pass.
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cuda/workload_results.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;

/// Parameters after so many steps of Adam; gradients are rounded by `noise` of their spread.
Numbers trained_by_adam(int steps, double noise, double direction = 1) {
    constexpr size_t size = 20000;
    std::mt19937 weights(1), gradients(2), rounding(3 + int(noise > 0));
    std::normal_distribution<double> normal;
    Numbers p(size), m(size), v(size);
    for (double& x : p) x = 0.04 * normal(weights);
    for (int t = 1; t <= steps; ++t)
        for (size_t i = 0; i < size; ++i) {
            const double g = 1e-3 * direction * (normal(gradients) + noise * normal(rounding));
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            p[i] -= 1e-3 * m[i] / (1 - std::pow(0.9, t)) /
                    (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
        }
    return p;
}

class CudaWorkloadDifference : public ::testing::Test {
protected:
    const Results before{trained_by_adam(1, 0)}, expected{trained_by_adam(3, 0)};
};

TEST_F(CudaWorkloadDifference, adam_of_rounded_gradients_is_explained) {
    const Results actual{trained_by_adam(3, 1e-5)};
    EXPECT_EQ(unexplained_difference(before, expected, actual), "");
    double largest = 0, scale = 0;
    for (size_t i = 0; i < actual[0].size(); ++i) {
        largest = std::max(largest, std::abs(actual[0][i] - expected[0][i]));
        scale = std::max(scale, std::abs(expected[0][i]));
    }
    EXPECT_GT(largest, 2e-5 * scale) << "otherwise a bound for all elements would do";
}

TEST_F(CudaWorkloadDifference, steps_the_other_way_are_not) {
    EXPECT_THAT(unexplained_difference(before, expected, {trained_by_adam(3, 0, -1)}),
                HasSubstr("result 0: element "));
}

TEST_F(CudaWorkloadDifference, a_step_too_few_is_not) {
    EXPECT_NE(unexplained_difference(before, expected, {trained_by_adam(2, 0)}), "");
}

TEST_F(CudaWorkloadDifference, gradients_that_are_wrong_by_a_hundredth_are_not) {
    EXPECT_NE(unexplained_difference(before, expected, {trained_by_adam(3, 1e-2)}), "");
}

TEST_F(CudaWorkloadDifference, one_element_far_off_or_no_number_is_not) {
    for (double wrong : {0.5, std::nan("")}) {
        Results actual = expected;
        actual[0][777] = wrong;
        EXPECT_THAT(unexplained_difference(before, expected, actual), HasSubstr("element 777"));
    }
}

TEST_F(CudaWorkloadDifference, what_does_not_move_has_the_bound_of_rounding) {
    Results actual = expected;
    actual[0][5] += 1e-4;  // 2e-5 of the largest is a twentieth of it.
    EXPECT_NE(unexplained_difference(expected, expected, actual), "");
    EXPECT_EQ(unexplained_difference(before, expected, actual), "")
        << "as one of Adam's steps might";
}

}  // namespace
}  // namespace catena::testing
