// Gradients of pictures by patches against the definition in float64.

#include "runtime/cpu/convolution/patch_convolution.h"

#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/cpu/product/tiles/product_tiles.h"
#include "tests/runtime/convolution_truth.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

/// gy has its channels last, gx is in the given order.
Array picture(const Case& c, MemoryOrder order) { return random_array(c.gx.shape(), 8, order); }

class Patches : public ::testing::TestWithParam<Images> {
    void SetUp() override {
        if (!has_product_tiles()) GTEST_SKIP() << "needs AVX2";
    }
};

TEST_P(Patches, are_near_the_definition) {
    const Case c(GetParam(), MemoryOrder::channels_last);
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last}) {
        SCOPED_TRACE(order == MemoryOrder::row_major ? "row-major" : "channels last");
        const Array gx = picture(c, order);
        ASSERT_TRUE(convolve_data_by_patches(c.gy, c.W, c.steps, gx));
        expect_near(
            gx, [&](int64_t n, int64_t i, int64_t h, int64_t w) { return c.gx_at(n, i, h, w); });
    }
}

// A generator's last layer; one image in bands for several threads; each padding; positions that no
// window sees; steps longer than the window; channels and positions that fill no tile; rows of taps
// in vectors of 4, 8 and 16; pictures too large for a core's cache.
INSTANTIATE_TEST_SUITE_P(
    sizes, Patches,
    ::testing::Values(Images{16, 3, 64, 32, 32, 1, 1, 4, 2}, Images{1, 3, 64, 30, 31, 1, 1, 3, 1},
                      Images{3, 1, 19, 17, 20, 0, 2, 3, 1}, Images{2, 4, 40, 23, 29, 2, 0, 5, 2},
                      Images{2, 2, 16, 20, 21, 0, 0, 2, 3}, Images{2, 3, 64, 41, 56, 3, 3, 7, 2},
                      Images{2, 1, 33, 40, 45, 5, 5, 11, 4},
                      Images{1, 3, 24, 190, 200, 1, 1, 3, 1}),
    [](const auto& info) { return fmt::format("number_{}", info.index); });

constexpr Images images{5, 3, 64, 20, 20, 1, 1, 4, 2};

TEST(PatchSizes, what_they_cannot_do_or_would_not_do_faster_is_left_alone) {
    if (!has_product_tiles()) GTEST_SKIP() << "needs AVX2";
    const auto taken = [](const Images& s, const WindowSteps& steps,
                          MemoryOrder order = MemoryOrder::channels_last) {
        const auto positions = [&](int64_t n) {
            return (n + 2 * steps.pad[0] - (s.taps - 1) * steps.dilate[0] - 1) / steps.stride[0] +
                   1;
        };
        const Array gy = random_array({s.batch, s.out, positions(s.height), positions(s.width)}, 3,
                                      order),
                    W = random_array({s.out, s.in / steps.groups, s.taps, s.taps}, 2);
        return convolve_data_by_patches(gy, W, steps,
                                        random_array({s.batch, s.in, s.height, s.width}, 1));
    };
    const WindowSteps plain{Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, 1};
    EXPECT_TRUE(taken(images, plain));
    EXPECT_FALSE(taken(images, plain, MemoryOrder::row_major)) << "results that are row-major";
    EXPECT_FALSE(taken(images, {Dims{2, 2}, Dims{1, 1}, Dims{2, 2}, 1})) << "dilated";
    EXPECT_FALSE(taken({5, 3, 63, 20, 20, 1, 1, 4, 2}, {Dims{2, 2}, Dims{1, 1}, Dims{1, 1}, 3}))
        << "groups";
    EXPECT_FALSE(taken({5, 16, 64, 20, 20, 1, 1, 4, 2}, plain)) << "many channels";
    EXPECT_FALSE(taken({5, 3, 8, 20, 20, 1, 1, 4, 2}, plain)) << "few results";
    EXPECT_FALSE(taken({5, 3, 64, 20, 20, 1, 1, 1, 1}, {Dims{1, 1}, Dims{0, 0}, Dims{1, 1}, 1}))
        << "one tap";
}

TEST(PatchNumbers, nan_and_infinity_stay_where_the_definition_puts_them) {
    if (!has_product_tiles()) GTEST_SKIP() << "needs AVX2";
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const Case c(images, MemoryOrder::channels_last);
        element(c.gy, 3, 7, 2, 4) = value;
        ASSERT_TRUE(convolve_data_by_patches(c.gy, c.W, c.steps, c.gx));
        for (int64_t n = 0; n < 5; ++n)
            for (int64_t h = 0; h < 20; ++h)
                for (int64_t w = 0; w < 20; ++w) {
                    const bool sees = n == 3 && 3 <= h && h <= 6 && 7 <= w && w <= 10;
                    ASSERT_EQ(!std::isfinite(element(c.gx, n, 1, h, w)), sees)
                        << "image " << n << " at " << h << ", " << w;
                }
        element(c.gy, 3, 7, 2, 4) = 1;
        element(c.W, 5, 2, 0, 3) = value;  // Row 2 i - 1, column 2 j + 2: what is beside the
                                           // picture sees it, too, but is nowhere.
        ASSERT_TRUE(convolve_data_by_patches(c.gy, c.W, c.steps, c.gx));
        for (int64_t h = 0; h < 20; ++h)
            for (int64_t w = 0; w < 20; ++w) {
                ASSERT_EQ(!std::isfinite(element(c.gx, 1, 2, h, w)),
                          h % 2 == 1 && h < 19 && w % 2 == 0 && w > 0)
                    << h << ", " << w;
                ASSERT_TRUE(std::isfinite(element(c.gx, 1, 1, h, w)))
                    << "another channel at " << h << ", " << w;
            }
    }
}

TEST(PatchNumbers, have_the_same_bits_on_any_number_of_threads) {
    if (!has_product_tiles()) GTEST_SKIP() << "needs AVX2";
    for (const int64_t batch : {1, 5}) {
        std::vector<float> known;
        for (const int count : {1, 2, 3, 7}) {
            const testing::Threads scope(count);
            const Case c({batch, 3, 40, 33, 30, 1, 1, 4, 2}, MemoryOrder::channels_last);
            ASSERT_TRUE(convolve_data_by_patches(c.gy, c.W, c.steps, c.gx));
            const std::vector<float> results = c.gx.to_vector<float>();
            if (known.empty()) known = results;
            EXPECT_EQ(std::memcmp(known.data(), results.data(), known.size() * sizeof(float)), 0)
                << count << " threads";
        }
    }
}

TEST(PatchNumbers, a_picture_s_gradient_is_computed_so) {
    if (!has_product_tiles()) GTEST_SKIP() << "needs AVX2";
    const Case c(images, MemoryOrder::channels_last);
    const Array by_patches = picture(c, MemoryOrder::channels_last);
    ASSERT_TRUE(convolve_data_by_patches(c.gy, c.W, c.steps, by_patches));
    convolve_data(c.gy, c.W, c.steps, c.gx);
    EXPECT_EQ(by_patches.to_vector<float>(), c.gx.to_vector<float>());
}

}  // namespace
}  // namespace catena
