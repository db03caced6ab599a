// Small values beside large ones: tiles give results that are right within the bound of
// runtime/cpu/convolution/winograd/even_windows.h, or leave the convolution to others.
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/winograd/even_windows.h"
#include "runtime/cpu/convolution/winograd/phase_convolution.h"
#include "runtime/cpu/convolution/winograd/winograd.h"
#include "tests/runtime/convolution_truth.h"

namespace catena {
namespace {

constexpr Images images{2, 64, 64, 24, 24, 1, 1}, phases{4, 64, 64, 32, 32, 1, 1, 4, 2};

void scale(const Array& array, float factor) {
    for (int64_t i = 0; i < array.size(); ++i) array.to_fill<float>()[i] *= factor;
}

/// The root of the sum of squares of the channels.
double length_at(const Array& x, int64_t n, int64_t h, int64_t w) {
    double squares = 0;
    for (int64_t c = 0; c < x.dim(1); ++c) squares += std::pow(Case::at(x, n, c, h, w), 2);
    return std::sqrt(squares);
}

/// The largest difference of y to the definition in float64, each relative to the longest position
/// that its window sees times the length of its weights.
double largest_error(const Case& c) {
    std::vector<double> lengths;
    for (int64_t o = 0; o < c.W.dim(0); ++o) {
        double squares = 0;
        for (int64_t i = 0; i < c.W.dim(1); ++i)
            c.for_taps([&](int64_t a, int64_t b) {
                squares += std::pow(double(element(c.W, o, i, a, b)), 2);
            });
        lengths.push_back(std::sqrt(squares));
    }
    double largest = 0;
    for (int64_t h = 0; h < c.y.dim(2); ++h)
        for (int64_t w = 0; w < c.y.dim(3); ++w) {
            double longest = 0;
            c.for_taps([&](int64_t i, int64_t j) {
                longest = std::max(longest, length_at(c.x, 1, c.row(h, i), c.column(w, j)));
            });
            for (int64_t o = 0; o < c.y.dim(1); o += 7) {
                const double truth = c.y_at(1, o, h, w, false);
                largest = std::max(largest, std::abs(double(element(c.y, 1, o, h, w)) - truth) /
                                                (longest * lengths[size_t(o)]));
            }
        }
    return largest;
}

TEST(WinogradOutliers, are_left_to_the_definition) {
    for (const float outlier : {1e3f, -1e4f, 1e6f})
        for (const auto& [row, column] : {std::pair{9, 14}, {0, 0}, {23, 8}}) {
            SCOPED_TRACE(fmt::format("{} at {}, {}", outlier, row, column));
            const Case c(images, MemoryOrder::channels_last);
            scale(c.x, 1e-3f);
            element(c.x, 1, 5, row, column) = outlier;
            EXPECT_FALSE(convolve_by(winograd_way(), c.x, c.W, Array(), c.steps, c.y));
            EXPECT_FALSE(convolve_weights_by(winograd_way(), c.x, c.gy, c.steps, c.gW));
            convolve(c.x, c.W, Array(), c.steps, c.y);
            EXPECT_LT(largest_error(c), 1e-6);
        }
}

TEST(WinogradOutliers, of_gradients_are_left_to_the_definition) {
    const Case c(images, MemoryOrder::channels_last);
    scale(c.gy, 1e-3f);
    ASSERT_TRUE(convolve_data_by(winograd_way(), c.gy, c.W, c.steps, c.gx));
    element(c.gy, 1, 5, 9, 14) = 1e3f;
    EXPECT_FALSE(convolve_data_by(winograd_way(), c.gy, c.W, c.steps, c.gx));
}

TEST(WinogradOutliers, of_phases_are_left_to_the_definition) {
    const Case c(phases, MemoryOrder::channels_last);
    scale(c.x, 1e-3f);
    scale(c.gy, 1e-3f);
    ASSERT_TRUE(convolve_by(phase_way(), c.x, c.W, Array(), c.steps, c.y));
    ASSERT_TRUE(convolve_data_by(phase_way(), c.gy, c.W, c.steps, c.gx));
    ASSERT_TRUE(convolve_weights_by(phase_way(), c.x, c.gy, c.steps, c.gW));
    element(c.x, 1, 5, 9, 14) = element(c.gy, 1, 5, 3, 3) = 1e4f;
    EXPECT_FALSE(convolve_by(phase_way(), c.x, c.W, Array(), c.steps, c.y));
    EXPECT_FALSE(convolve_data_by(phase_way(), c.gy, c.W, c.steps, c.gx));
    EXPECT_FALSE(convolve_weights_by(phase_way(), c.x, c.gy, c.steps, c.gW));
    convolve(c.x, c.W, Array(), c.steps, c.y);
    EXPECT_LT(largest_error(c), 1e-6);
}

/// Where tiles are taken, the error is within the bound; just beyond, they are not.
TEST(WinogradOutliers, errors_are_within_the_bound_where_tiles_are_taken) {
    int taken = 0, refused = 0;
    for (const float ratio : {1.0f, 30.0f, 300.0f, 1000.0f, 3000.0f})
        for (const auto& [row, column] : {std::pair{9, 14}, {8, 12}, {0, 0}}) {
            SCOPED_TRACE(fmt::format("{} at {}, {}", ratio, row, column));
            const Case c(images, MemoryOrder::channels_last);
            // All channels of one position, as far from the others as the ratio says.
            for (int64_t i = 0; i < 64; ++i) element(c.x, 1, i, row, column) *= ratio;
            if (!convolve_by(winograd_way(), c.x, c.W, Array(), c.steps, c.y)) {
                ++refused;
                continue;
            }
            ++taken;
            const double error = largest_error(c);
            RecordProperty(fmt::format("error_{}_{}_{}", ratio, row, column),
                           fmt::format("{}", error));
            EXPECT_LT(error, 1e-3);
            if (ratio == 1) {
                EXPECT_LT(error, 2e-6);
            }
        }
    EXPECT_GE(taken, 9);
    EXPECT_GE(refused, 3);
}

TEST(WinogradOutliers, zeros_beside_values_are_no_small_values) {
    const Case c(images, MemoryOrder::channels_last);
    for (int64_t i = 0; i < 64; ++i)
        for (int64_t h = 0; h < 24; ++h)
            for (int64_t w = 0; w < 10; ++w) element(c.x, 1, i, h, w) = 0;
    EXPECT_TRUE(convolve_by(winograd_way(), c.x, c.W, Array(), c.steps, c.y));
    for (int64_t h = 0; h < 24; ++h)
        for (int64_t w = 0; w < 9; ++w)
            ASSERT_NEAR(element(c.y, 1, 3, h, w), 0, 1e-4) << h << ", " << w;
}

TEST(EvenWindows, are_judged_tile_by_tile) {
    using namespace winograd;
    // Ones in three columns on the left, small values beside them: the right one of two tiles sees
    // small values alone.
    const Shape shape{1, 16, 6, 10};
    const Array x = random_array(shape, 1, MemoryOrder::channels_last);
    for (int64_t h = 0; h < 6; ++h)
        for (int64_t w = 0; w < 10; ++w)
            for (int64_t c = 0; c < 16; ++c) element(x, 0, c, h, w) = w < 3 ? 1.0f : 1e-4f;
    const winograd::Images all{x.elements<float>(), 6, 10, 16};
    const TileForm form{6, 4, 3, 1};
    EXPECT_FALSE(are_windows_even(all, {0, 0, 0, 1}, form)) << "its last window sees 1e-4 alone";
    EXPECT_TRUE(are_windows_even(all, {0, 0, 4, 1}, form));
    EXPECT_FALSE(are_windows_even(all, {0, 0, 0, 2}, form));
    EXPECT_TRUE(are_windows_even(all, {0, -4, -4, 1}, form)) << "what is outside is no small value";
    EXPECT_TRUE(are_windows_even(all, {0, 6, 10, 1}, form)) << "nothing but outside";
}

}  // namespace
}  // namespace catena
