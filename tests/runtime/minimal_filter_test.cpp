// The matrices of Winograd's minimal filtering (runtime/cpu/convolution/winograd/minimal_filter.h)
// against the definition of what they compute.
#include <gtest/gtest.h>

#include "runtime/cpu/convolution/winograd/minimal_filter.h"

namespace catena::winograd {
namespace {

/// Numbers without a pattern, between -1 and 1.
template <size_t n>
Column<double, n> some_numbers(uint32_t seed) {
    Column<double, n> made{};
    for (double& each : made) {
        seed = seed * 1664525u + 1013904223u;
        each = double(seed >> 8) / double(1 << 23) - 1;
    }
    return made;
}

template <size_t n>
double product(const Column<double, n>& a, const Column<double, n>& b) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// Matrices are stored as float32, whose rounding errors the results have.
constexpr double tolerance = 4e-6;

template <size_t m, size_t r>
void expect_filter_computes_its_definition() {
    using Filter = MinimalFilter<m, r>;
    for (uint32_t seed = 1; seed < 20; ++seed) {
        const auto inputs = some_numbers<m + r - 1>(seed);
        const auto window = some_numbers<r>(seed + 100);
        const auto d = Multiplied<Filter::B_transposed>()(inputs);
        auto values = Multiplied<Filter::G>()(window);
        for (size_t i = 0; i < values.size(); ++i) values[i] *= d[i];
        const auto results = MultipliedTransposed<Filter::A>()(values);
        for (size_t k = 0; k < m; ++k) {
            double expected = 0;
            for (size_t j = 0; j < r; ++j) expected += inputs[k + j] * window[j];
            EXPECT_NEAR(results[k], expected, tolerance) << m << ", " << r << ": result " << k;
        }
    }
}

TEST(MinimalFilter, computes_the_sums_of_the_definition) {
    expect_filter_computes_its_definition<4, 3>();
    expect_filter_computes_its_definition<4, 2>();
    expect_filter_computes_its_definition<2, 2>();
}

template <const auto& matrix>
void expect_transposes() {
    using Plain = Multiplied<matrix>;
    for (uint32_t seed = 1; seed < 20; ++seed) {
        const auto x = some_numbers<Plain::from>(seed);
        const auto y = some_numbers<Plain::to>(seed + 100);
        EXPECT_NEAR(product(Plain()(x), y), product(x, MultipliedTransposed<matrix>()(y)), 1e-12);
    }
}

TEST(MinimalFilter, has_transposes_for_the_gradients) {
    expect_transposes<MinimalFilter<4, 3>::A>();
    expect_transposes<MinimalFilter<4, 3>::G>();
    expect_transposes<MinimalFilter<4, 3>::B_transposed>();
    expect_transposes<MinimalFilter<4, 2>::A>();
    expect_transposes<MinimalFilter<4, 2>::G>();
    expect_transposes<MinimalFilter<4, 2>::B_transposed>();
    expect_transposes<MinimalFilter<2, 2>::A>();
    expect_transposes<MinimalFilter<2, 2>::G>();
    expect_transposes<MinimalFilter<2, 2>::B_transposed>();
}

TEST(MinimalFilter, shares_the_sums_of_opposite_points) {
    const auto pairs = [](const auto& matrix) {
        int count = 0;
        for (const bool begins : matrix.begins_pair) count += begins;
        return count;
    };
    EXPECT_EQ(pairs(MinimalFilter<4, 3>::A), 2);
    EXPECT_EQ(pairs(MinimalFilter<4, 3>::G), 2);
    EXPECT_EQ(pairs(MinimalFilter<4, 3>::B_transposed), 2);
    EXPECT_EQ(pairs(MinimalFilter<4, 2>::A), 2);
    EXPECT_EQ(pairs(MinimalFilter<4, 2>::G), 2);
    EXPECT_EQ(pairs(MinimalFilter<4, 2>::B_transposed), 2);
}

}  // namespace
}  // namespace catena::winograd
