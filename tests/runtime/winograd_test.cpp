// Convolutions by tiles against the definition in float64: nearness, memory orders, numbers that
// are not finite.

#include "runtime/cpu/convolution/winograd/winograd.h"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/runtime/convolution_truth.h"

namespace catena {
namespace {

class Winograd : public ::testing::TestWithParam<Images> {};

TEST_P(Winograd, is_near_the_definition) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last}) {
        SCOPED_TRACE(order == MemoryOrder::row_major ? "row-major" : "channels last");
        const Case c(GetParam(), order);
        ASSERT_TRUE(convolve_by(winograd_way(), c.x, c.W, c.b, c.steps, c.y));
        expect_near(c.y, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
            return c.y_at(n, o, h, w, true);
        });
        ASSERT_TRUE(convolve_by(winograd_way(), c.x, c.W, Array(), c.steps, c.y));
        expect_near(c.y, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
            return c.y_at(n, o, h, w, false);
        });
        ASSERT_TRUE(convolve_data_by(winograd_way(), c.gy, c.W, c.steps, c.gx));
        expect_near(
            c.gx, [&](int64_t n, int64_t i, int64_t h, int64_t w) { return c.gx_at(n, i, h, w); });
        ASSERT_TRUE(convolve_weights_by(winograd_way(), c.x, c.gy, c.steps, c.gW));
        expect_near(
            c.gW, [&](int64_t o, int64_t i, int64_t h, int64_t w) { return c.gW_at(o, i, h, w); });
    }
}

// Whole tiles; tiles that are cut at the end; each padding; weights so large that threads share
// them, of few and of many tiles; unequal channels.
INSTANTIATE_TEST_SUITE_P(
    sizes, Winograd,
    ::testing::Values(Images{16, 64, 64, 16, 16, 1, 1}, Images{15, 64, 48, 23, 26, 1, 1},
                      Images{23, 64, 80, 15, 17, 0, 2}, Images{27, 48, 64, 19, 13, 2, 0},
                      Images{8, 256, 256, 12, 8, 1, 1}, Images{6, 256, 512, 12, 16, 1, 1},
                      Images{40, 256, 272, 12, 20, 1, 1}),
    [](const auto& info) {
        const Images& s = info.param;
        return fmt::format("{}x{}x{}x{}_to_{}_padded_{}_{}", s.batch, s.in, s.height, s.width,
                           s.out, s.pad_top, s.pad_left);
    });

constexpr Images images{8, 64, 64, 16, 16, 1, 1};

TEST(WinogradSizes, what_it_cannot_do_or_would_not_do_faster_is_left_alone) {
    const auto refused = [](const Images& s, const WindowSteps& steps, int64_t kernel) {
        const Array x = random_array({s.batch, s.in, s.height, s.width}, 1),
                    W = random_array({s.out, s.in / steps.groups, kernel, kernel}, 2);
        const auto positions = [&](int64_t n) {
            return (n + 2 - (kernel - 1) * steps.dilate[0] - 1) / steps.stride[0] + 1;
        };
        const Array y = random_array({s.batch, s.out, positions(s.height), positions(s.width)}, 3);
        return !convolve_by(winograd_way(), x, W, Array(), steps, y) &&
               !convolve_data_by(winograd_way(), y, W, steps, x) &&
               !convolve_weights_by(winograd_way(), x, y, steps, W);
    };
    const WindowSteps plain{Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 1};
    EXPECT_FALSE(refused(images, plain, 3));
    EXPECT_TRUE(refused(images, plain, 5));
    EXPECT_TRUE(refused(images, {Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, 1}, 3)) << "steps of two";
    EXPECT_TRUE(refused(images, {Dims{1, 1}, Dims{1, 1}, Dims{2, 2}, 1}, 3)) << "dilated";
    EXPECT_TRUE(refused(images, {Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 2}, 3)) << "groups";
    EXPECT_TRUE(refused({4, 60, 64, 16, 16, 1, 1}, plain, 3))
        << "channels that are not a multiple of 16";
    EXPECT_TRUE(refused({64, 512, 512, 2, 2, 1, 1}, plain, 3))
        << "tiles of which a quarter is used";
}

TEST(WinogradNumbers, nan_and_infinity_stay_in_the_windows_that_see_them) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Case c(images, MemoryOrder::row_major);
        ASSERT_TRUE(convolve_by(winograd_way(), c.x, c.W, c.b, c.steps, c.y) &&
                    convolve_weights_by(winograd_way(), c.x, c.gy, c.steps, c.gW));
        element(c.x, 2, 5, 6, 9) = value;
        EXPECT_FALSE(convolve_by(winograd_way(), c.x, c.W, c.b, c.steps, c.y));
        convolve(c.x, c.W, c.b, c.steps, c.y);
        const std::vector<float> y = c.y.to_vector<float>();
        int64_t not_finite = 0;
        for (int64_t i = 0; i < int64_t(y.size()); ++i) {
            const int64_t w = i % 16, h = i / 16 % 16, n = i / (16 * 16 * 64);
            const bool sees = n == 2 && std::abs(h - 6) <= 1 && std::abs(w - 9) <= 1;
            ASSERT_EQ(!std::isfinite(y[size_t(i)]), sees)
                << "image " << n << " at " << h << ", " << w;
            not_finite += sees;
        }
        EXPECT_EQ(not_finite, 9 * 64);
        EXPECT_FALSE(convolve_weights_by(winograd_way(), c.x, c.gy, c.steps, c.gW));
    }
}

TEST(WinogradNumbers, what_only_the_tiles_would_overflow_does_not) {
    const Case c(images, MemoryOrder::row_major);
    element(c.x, 2, 5, 6, 9) = 1e38f;
    EXPECT_FALSE(convolve_by(winograd_way(), c.x, c.W, c.b, c.steps, c.y));
    const Array small = random_array(c.W.shape(), 8), half = Array::full(small.type(), 0.01);
    convolve(c.x, half, c.b, c.steps, c.y);
    for (const float v : c.y.to_vector<float>()) ASSERT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace catena
