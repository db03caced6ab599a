// 3x3 convolutions of 2x2 images against the definition in float64.

#include "runtime/cpu/convolution/winograd/two_by_two.h"

#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/runtime/convolution_truth.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

class TwoByTwo : public ::testing::TestWithParam<Images> {};

TEST_P(TwoByTwo, is_near_the_definition) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last}) {
        SCOPED_TRACE(order == MemoryOrder::row_major ? "row-major" : "channels last");
        const Case c(GetParam(), order);
        ASSERT_TRUE(convolve_by(two_by_two_way(), c.x, c.W, c.b, c.steps, c.y));
        expect_near(c.y, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
            return c.y_at(n, o, h, w, true);
        });
        ASSERT_TRUE(convolve_by(two_by_two_way(), c.x, c.W, Array(), c.steps, c.y));
        expect_near(c.y, [&](int64_t n, int64_t o, int64_t h, int64_t w) {
            return c.y_at(n, o, h, w, false);
        });
        ASSERT_TRUE(convolve_data_by(two_by_two_way(), c.gy, c.W, c.steps, c.gx));
        expect_near(
            c.gx, [&](int64_t n, int64_t i, int64_t h, int64_t w) { return c.gx_at(n, i, h, w); });
        ASSERT_TRUE(convolve_weights_by(two_by_two_way(), c.x, c.gy, c.steps, c.gW));
        expect_near(
            c.gW, [&](int64_t o, int64_t i, int64_t h, int64_t w) { return c.gW_at(o, i, h, w); });
    }
}

// Channels in blocks of 16 and 32; rows that no tile of eight fits.
INSTANTIATE_TEST_SUITE_P(sizes, TwoByTwo,
                         ::testing::Values(Images{64, 512, 512, 2, 2, 1, 1},
                                           Images{16, 48, 80, 2, 2, 1, 1},
                                           Images{37, 128, 96, 2, 2, 1, 1}),
                         [](const auto& info) {
                             const Images& s = info.param;
                             return fmt::format("{}x{}_to_{}", s.batch, s.in, s.out);
                         });

constexpr Images images{16, 64, 64, 2, 2, 1, 1};

TEST(TwoByTwoSizes, what_it_cannot_do_or_would_not_do_faster_is_left_alone) {
    const auto refused = [](const Images& s) {
        const Case c(s, MemoryOrder::row_major);
        return !convolve_by(two_by_two_way(), c.x, c.W, Array(), c.steps, c.y) &&
               !convolve_data_by(two_by_two_way(), c.gy, c.W, c.steps, c.gx) &&
               !convolve_weights_by(two_by_two_way(), c.x, c.gy, c.steps, c.gW);
    };
    EXPECT_FALSE(refused(images));
    EXPECT_TRUE(refused({16, 64, 64, 2, 3, 1, 1})) << "other images";
    EXPECT_TRUE(refused({16, 64, 64, 3, 3, 1, 1, 3, 2}))
        << "of which 2x2 results are made in steps of two";
    EXPECT_TRUE(refused({16, 64, 64, 4, 4, 0, 0})) << "and without padding";
    EXPECT_TRUE(refused({16, 60, 64, 2, 2, 1, 1})) << "channels that are not a multiple of 16";
    EXPECT_TRUE(refused({15, 64, 64, 2, 2, 1, 1})) << "few images";
    EXPECT_TRUE(refused({16, 64, 64, 2, 2, 2, 2, 5})) << "other weights";
}

TEST(TwoByTwoNumbers, nan_and_infinity_stay_in_the_images_that_have_them) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Case c(images, MemoryOrder::row_major);
        element(c.x, 2, 5, 1, 0) = value;
        element(c.gy, 3, 7, 0, 1) = value;
        EXPECT_FALSE(convolve_by(two_by_two_way(), c.x, c.W, c.b, c.steps, c.y));
        EXPECT_FALSE(convolve_data_by(two_by_two_way(), c.gy, c.W, c.steps, c.gx));
        EXPECT_FALSE(convolve_weights_by(two_by_two_way(), c.x, c.gy, c.steps, c.gW));
        convolve(c.x, c.W, c.b, c.steps, c.y);
        convolve_data(c.gy, c.W, c.steps, c.gx);
        for (int64_t n = 0; n < 16; ++n)
            for (int64_t h = 0; h < 2; ++h)
                for (int64_t w = 0; w < 2; ++w) {
                    EXPECT_EQ(std::isfinite(element(c.y, n, 1, h, w)), n != 2)
                        << "image " << n << " at " << h << ", " << w;
                    EXPECT_EQ(std::isfinite(element(c.gx, n, 1, h, w)), n != 3)
                        << "image " << n << " at " << h << ", " << w;
                }
    }
}

TEST(TwoByTwoNumbers, have_the_same_bits_on_any_number_of_threads) {
    std::vector<std::vector<float>> known;
    for (const int count : {1, 2, 3}) {
        const testing::Threads scope(count);
        const Case c({37, 192, 160, 2, 2, 1, 1}, MemoryOrder::channels_last);
        ASSERT_TRUE(convolve_by(two_by_two_way(), c.x, c.W, c.b, c.steps, c.y) &&
                    convolve_data_by(two_by_two_way(), c.gy, c.W, c.steps, c.gx) &&
                    convolve_weights_by(two_by_two_way(), c.x, c.gy, c.steps, c.gW));
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
