// Convolutions by tiles whose weights are transformed block by block
// (runtime/cpu/convolution/winograd/winograd_blocks.h).
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/convolution/winograd/winograd.h"
#include "runtime/cpu/convolution/winograd/winograd_blocks.h"
#include "tests/support/random_numbers.h"

namespace catena {
namespace {

const WindowSteps padded{Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 1};

Array random_array(const Shape& shape, uint64_t seed) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    testing::fill_random(seed, array.to_fill<float>(), array.size());
    return array;
}

Array random_images(const Shape& shape, uint64_t seed) {
    return random_array(shape, seed).view(shape, strides_in(MemoryOrder::channels_last, shape), 0);
}

bool same_bits(const Array& a, const Array& b) {
    return std::memcmp(a.to_fill<float>(), b.to_fill<float>(), size_t(a.size()) * sizeof(float)) ==
           0;
}

struct Layer {
    explicit Layer(int64_t out)
        : x(random_images({4, 256, 14, 14}, 1)),
          gy(random_images({4, out, 14, 14}, 2)),
          W(random_array({out, 256, 3, 3}, 3)) {}
    Array x, gy, W;
};

TEST(WinogradBlocks, are_of_sizes_with_large_weights_and_few_tiles) {
    const auto sizes = [](int64_t batch, int64_t channels, int64_t side) {
        return winograd::sizes_of({batch, channels, side, side}, {channels, channels, 3, 3},
                                  {batch, channels, side, side}, padded);
    };
    EXPECT_TRUE(sizes(4, 256, 14).has_small_tiles());
    EXPECT_TRUE(sizes(4, 512, 7).has_small_tiles());
    EXPECT_FALSE(sizes(4, 64, 56).has_small_tiles()) << "the weights are small";
    EXPECT_FALSE(sizes(64, 256, 32).has_small_tiles()) << "there are many tiles";
}

TEST(WinogradBlocks, give_the_same_bits_from_weights_that_are_kept) {
    for (const int64_t out : {256, 272}) {
        const Layer layer(out);
        const Array y = random_images(layer.gy.shape(), 4), gx = random_images(layer.x.shape(), 5);
        ASSERT_TRUE(convolve_by(winograd_way(), layer.x, layer.W, Array(), padded, y));
        ASSERT_TRUE(convolve_data_by(winograd_way(), layer.gy, layer.W, padded, gx));
        const int64_t before = onednn::packed_uses();
        for (int use = 0; use < 8; ++use) {
            const Array again = random_images(y.shape(), 6),
                        gx_again = random_images(gx.shape(), 7);
            ASSERT_TRUE(convolve_by(winograd_way(), layer.x, layer.W, Array(), padded, again));
            ASSERT_TRUE(convolve_data_by(winograd_way(), layer.gy, layer.W, padded, gx_again));
            EXPECT_TRUE(same_bits(y, again)) << "use " << use;
            EXPECT_TRUE(same_bits(gx, gx_again)) << "use " << use;
        }
        EXPECT_GE(onednn::packed_uses() - before, 8) << "no use found what another one kept";
    }
}

TEST(WinogradBlocks, say_so_where_a_result_is_not_finite) {
    const Layer layer(256);
    const Array y = random_images(layer.gy.shape(), 4), gx = random_images(layer.x.shape(), 5),
                gW = random_array(layer.W.shape(), 6);
    layer.x.to_fill<float>()[7] = std::numeric_limits<float>::infinity();
    layer.gy.to_fill<float>()[layer.gy.size() - 1] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(convolve_by(winograd_way(), layer.x, layer.W, Array(), padded, y));
    EXPECT_FALSE(convolve_data_by(winograd_way(), layer.gy, layer.W, padded, gx));
    EXPECT_FALSE(convolve_weights_by(winograd_way(), layer.x, layer.gy, padded, gW));
}

}  // namespace
}  // namespace catena
