// 4x4 convolutions in steps of two by the phases of their images, against the definition in
// float64.

#include "runtime/cpu/convolution/winograd/phase_convolution.h"

#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/runtime/convolution_truth.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

class Phases : public ::testing::TestWithParam<Images> {};

TEST_P(Phases, are_near_the_definition) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last}) {
        SCOPED_TRACE(order == MemoryOrder::row_major ? "row-major" : "channels last");
        const Case c(GetParam(), order);
        ASSERT_TRUE(convolve_by(phase_way(), c.x, c.W, c.b, c.steps, c.y));
        expect_near(c.y, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
            return c.y_at(n, o, h, w, true);
        });
        ASSERT_TRUE(convolve_by(phase_way(), c.x, c.W, Array(), c.steps, c.y));
        expect_near(c.y, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
            return c.y_at(n, o, h, w, false);
        });
        ASSERT_TRUE(convolve_data_by(phase_way(), c.gy, c.W, c.steps, c.gx));
        expect_near(
            c.gx, [&](int64_t n, int64_t i, int64_t h, int64_t w) { return c.gx_at(n, i, h, w); });
        ASSERT_TRUE(convolve_weights_by(phase_way(), c.x, c.gy, c.steps, c.gW));
        expect_near(
            c.gW, [&](int64_t o, int64_t i, int64_t h, int64_t w) { return c.gW_at(o, i, h, w); });
    }
}

// Whole tiles; tiles that are cut at the end, of even and odd sizes; each padding; channels in
// blocks of 16; so many tiles that they are transformed in several turns.
INSTANTIATE_TEST_SUITE_P(sizes, Phases,
                         ::testing::Values(Images{64, 64, 128, 16, 16, 1, 1, 4, 2},
                                           Images{64, 128, 256, 8, 8, 1, 1, 4, 2},
                                           Images{33, 48, 80, 31, 33, 1, 1, 4, 2},
                                           Images{40, 64, 48, 32, 24, 0, 2, 4, 2},
                                           Images{24, 80, 64, 30, 29, 3, 0, 4, 2},
                                           Images{21, 64, 64, 29, 32, 2, 3, 4, 2},
                                           Images{32, 128, 128, 64, 48, 1, 1, 4, 2}),
                         [](const auto& info) {
                             const Images& s = info.param;
                             return fmt::format("{}x{}x{}x{}_to_{}_padded_{}_{}", s.batch, s.in,
                                                s.height, s.width, s.out, s.pad_top, s.pad_left);
                         });

constexpr Images images{64, 64, 64, 16, 16, 1, 1, 4, 2};

TEST(PhaseSizes, what_they_cannot_do_or_would_not_do_faster_is_left_alone) {
    const auto refused = [](const Images& s, const WindowSteps& steps) {
        const Array x = random_array({s.batch, s.in, s.height, s.width}, 1),
                    W = random_array({s.out, s.in / steps.groups, s.taps, s.taps}, 2);
        const auto positions = [&](int64_t n) {
            return (n + 2 - (s.taps - 1) * steps.dilate[0] - 1) / steps.stride[0] + 1;
        };
        const Array y = random_array({s.batch, s.out, positions(s.height), positions(s.width)}, 3);
        return !convolve_by(phase_way(), x, W, Array(), steps, y) &&
               !convolve_data_by(phase_way(), y, W, steps, x) &&
               !convolve_weights_by(phase_way(), x, y, steps, W);
    };
    const auto with_taps = [](int64_t taps) {
        Images s = images;
        s.taps = taps;
        return s;
    };
    const WindowSteps plain{Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, 1};
    EXPECT_FALSE(refused(images, plain));
    EXPECT_TRUE(refused(with_taps(3), plain));
    EXPECT_TRUE(refused(with_taps(5), plain));
    EXPECT_TRUE(refused(images, {Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 1})) << "steps of one";
    EXPECT_TRUE(refused(images, {Dims{2, 2}, Dims{1, 1}, Dims{2, 2}, 1})) << "dilated";
    EXPECT_TRUE(refused(images, {Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, 2})) << "groups";
    EXPECT_TRUE(refused({64, 60, 64, 16, 16, 1, 1, 4, 2}, plain))
        << "channels that are not a multiple of 16";
    EXPECT_TRUE(refused({64, 64, 64, 2, 2, 1, 1, 4, 2}, plain)) << "tiles of which little is used";
    EXPECT_TRUE(refused({1, 256, 256, 8, 8, 1, 1, 4, 2}, plain))
        << "weights that are large beside the image";
}

TEST(PhaseNumbers, nan_and_infinity_stay_in_the_windows_that_see_them) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Case c(images, MemoryOrder::row_major);
        element(c.x, 2, 5, 6, 9) = value;
        element(c.gy, 3, 7, 2, 4) = value;
        EXPECT_FALSE(convolve_by(phase_way(), c.x, c.W, c.b, c.steps, c.y));
        EXPECT_FALSE(convolve_data_by(phase_way(), c.gy, c.W, c.steps, c.gx));
        EXPECT_FALSE(convolve_weights_by(phase_way(), c.x, c.gy, c.steps, c.gW));
        convolve(c.x, c.W, c.b, c.steps, c.y);
        convolve_data(c.gy, c.W, c.steps, c.gx);
        int64_t seen = 0;
        for (int64_t n = 0; n < 64; ++n)
            for (int64_t h = 0; h < 8; ++h)
                for (int64_t w = 0; w < 8; ++w) {
                    const bool sees = n == 2 && 2 * h - 1 <= 6 && 6 <= 2 * h + 2 &&
                                      2 * w - 1 <= 9 && 9 <= 2 * w + 2;
                    ASSERT_EQ(!std::isfinite(element(c.y, n, 1, h, w)), sees)
                        << "image " << n << " at " << h << ", " << w;
                    seen += sees;
                }
        EXPECT_EQ(seen, 4);
        int64_t given = 0;
        for (int64_t n = 0; n < 64; ++n)
            for (int64_t h = 0; h < 16; ++h)
                for (int64_t w = 0; w < 16; ++w) {
                    const bool sees = n == 3 && 3 <= h && h <= 6 && 7 <= w && w <= 10;
                    ASSERT_EQ(!std::isfinite(element(c.gx, n, 1, h, w)), sees)
                        << "image " << n << " at " << h << ", " << w;
                    given += sees;
                }
        EXPECT_EQ(given, 16);
    }
}

TEST(PhaseNumbers, what_only_the_tiles_would_overflow_does_not) {
    const Case c(images, MemoryOrder::row_major);
    element(c.x, 2, 5, 6, 9) = 3e38f;
    EXPECT_FALSE(convolve_by(phase_way(), c.x, c.W, Array(), c.steps, c.y));
    const Array small = Array::full(c.W.type(), 0.01);
    convolve(c.x, small, c.b, c.steps, c.y);
    for (const float v : c.y.to_vector<float>()) ASSERT_TRUE(std::isfinite(v));
}

TEST(PhaseNumbers, have_the_same_bits_on_any_number_of_threads) {
    std::vector<std::vector<float>> known;
    for (const int count : {1, 2, 3}) {
        const testing::Threads scope(count);
        const Case c({40, 128, 96, 30, 17, 1, 1, 4, 2}, MemoryOrder::channels_last);
        ASSERT_TRUE(convolve_by(phase_way(), c.x, c.W, c.b, c.steps, c.y) &&
                    convolve_data_by(phase_way(), c.gy, c.W, c.steps, c.gx) &&
                    convolve_weights_by(phase_way(), c.x, c.gy, c.steps, c.gW));
        const std::vector<std::vector<float>> results{
            c.y.to_vector<float>(), c.gx.to_vector<float>(), c.gW.to_vector<float>()};
        if (known.empty()) known = results;
        for (size_t i = 0; i < known.size(); ++i)
            EXPECT_EQ(
                std::memcmp(known[i].data(), results[i].data(), known[i].size() * sizeof(float)), 0)
                << "result " << i << " on " << count << " threads";
    }
}

}  // namespace
}  // namespace catena
