// 1x1 convolutions of so few positions that they are products in training
// (runtime/cpu/convolution/pointwise_convolution.h).
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/random/random.h"
#include "runtime/cpu/convolution/pointwise_convolution.h"

namespace catena {
namespace {

Array random_array(const Shape& shape, uint64_t seed, MemoryOrder order = MemoryOrder::row_major) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return array.view(shape, strides_in(order, shape), 0);
}

double at(const Array& images, int64_t n, int64_t c, int64_t h, int64_t w) {
    const Strides& s = images.strides();
    return double(images.elements<float>()[n * s[0] + c * s[1] + h * s[2] + w * s[3]]);
}

void expect_products(int64_t side, int64_t step, const Array& b) {
    const WindowSteps steps{Dims{step, step}, Dims{0, 0}, Dims{1, 1}, 1};
    const Array x = random_array({4, 1024, side, side}, 1, MemoryOrder::channels_last),
                W = random_array({512, 1024, 1, 1}, 2);
    const Array y = random_array({4, 512, 7, 7}, 3, MemoryOrder::channels_last);
    ASSERT_TRUE(convolve_by(product_way(), x, W, b, steps, y));
    for (const auto& [n, o, h, w] : {std::tuple{0, 0, 0, 0}, std::tuple{3, 511, 6, 6},
                                     std::tuple{1, 77, 2, 5}, std::tuple{2, 300, 6, 0}}) {
        double sum = b.defined() ? double(b.elements<float>()[o]) : 0;
        for (int64_t c = 0; c < 1024; ++c)
            sum += at(x, n, c, h * step, w * step) * double(W.elements<float>()[o * 1024 + c]);
        EXPECT_NEAR(at(y, n, o, h, w), sum, 2e-4);
    }
}

TEST(SmallPointwiseConvolution, is_a_product_with_and_without_steps_and_bias) {
    const Array b = random_array({512}, 4);
    for (const Array& bias : {Array(), b}) {
        expect_products(7, 1, bias);
        expect_products(14, 2, bias);
        expect_products(13, 2, bias);
    }
}

TEST(PointwiseGradient, is_a_product_where_steps_went_and_zero_elsewhere) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last})
        for (const int64_t side : {55, 56}) {
            const WindowSteps steps{Dims{2, 2}, Dims{0, 0}, Dims{1, 1}, 1};
            const Array gy = random_array({2, 48, 28, 28}, 1, order),
                        W = random_array({48, 32, 1, 1}, 2);
            const Array gx = random_array({2, 32, side, side}, 3, order);
            ASSERT_TRUE(convolve_data_by(product_way(), gy, W, steps, gx));
            for (int64_t n = 0; n < 2; ++n)
                for (int64_t c = 0; c < 32; ++c)
                    for (int64_t h = 0; h < side; ++h)
                        for (int64_t w = 0; w < side; ++w) {
                            double sum = 0;
                            for (int64_t o = 0; o < 48 && h % 2 == 0 && w % 2 == 0; ++o)
                                sum += at(gy, n, o, h / 2, w / 2) *
                                       double(W.elements<float>()[o * 32 + c]);
                            ASSERT_NEAR(at(gx, n, c, h, w), sum, 2e-4)
                                << "side " << side << ", channel " << c << " at " << h << ", " << w;
                        }
        }
}

TEST(SmallPointwiseConvolution, of_one_image_or_many_positions_is_left_to_the_library) {
    const WindowSteps steps{Dims{1, 1}, Dims{0, 0}, Dims{1, 1}, 1};
    for (const auto& [batch, in] : {std::pair{1, 1024}, std::pair{8, 1024}, std::pair{4, 128}}) {
        const Array x = random_array({batch, in, 7, 7}, 1, MemoryOrder::channels_last),
                    W = random_array({512, in, 1, 1}, 2);
        const Array y = random_array({batch, 512, 7, 7}, 3, MemoryOrder::channels_last);
        EXPECT_FALSE(convolve_by(product_way(), x, W, Array(), steps, y))
            << batch << " images, " << in << " channels";
    }
}

}  // namespace
}  // namespace catena
