#include "runtime/core/array/memory_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/cpu/convolution/convolution_kernel.h"

namespace catena {
namespace {

TEST(MemoryOrder, has_its_strides) {
    EXPECT_EQ(strides_in(MemoryOrder::channels_last, {2, 3, 4, 5}), (Strides{60, 1, 15, 3}));
    EXPECT_EQ(strides_in(MemoryOrder::channels_last, {2, 3, 4}), (Strides{12, 1, 3}));
    EXPECT_EQ(strides_in(MemoryOrder::row_major, {2, 3, 4}), (Strides{12, 4, 1}));
}

TEST(MemoryOrder, is_told_by_strides) {
    EXPECT_EQ(memory_order({2, 3, 4, 5}, {60, 1, 15, 3}), MemoryOrder::channels_last);
    EXPECT_EQ(memory_order({2, 3, 4, 5}, {60, 20, 5, 1}), MemoryOrder::row_major);
    EXPECT_EQ(memory_order({2, 3, 4, 5}, {120, 20, 5, 1}), std::nullopt) << "with gaps";
    EXPECT_EQ(memory_order({2, 1, 4, 5}, {20, 7, 5, 1}), MemoryOrder::row_major)
        << "one channel is never stepped over";
    EXPECT_EQ(memory_order({4, 5}, {1, 4}), std::nullopt);
}

Array random_array(const Shape& shape, uint64_t seed) {
    Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    for (int64_t i = 0; i < array.size(); ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        array.data<float>()[i] = float(int64_t(seed >> 40)) / float(1 << 23) - 1;
    }
    return array;
}

Array with_channels_last(const Array& array) {
    Array result = Array::empty(array.type(), cpu_device());
    result = result.view(array.shape(), strides_in(MemoryOrder::channels_last, array.shape()), 0);
    copy_elements(array, result);
    return result;
}

void expect_near(const Array& a, const Array& b) {
    const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
    ASSERT_EQ(x.size(), y.size());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-4 * (1 + std::abs(x[i]))) << i;
}

struct Sizes {
    int64_t batch, in, out, size, kernel, stride, groups;
};

class ConvolutionOrder : public ::testing::TestWithParam<Sizes> {};

/// Every combination of orders of images gives the same elements.
TEST_P(ConvolutionOrder, changes_no_result) {
    const Sizes s = GetParam();
    const WindowSteps steps{Dims{s.stride, s.stride}, Dims{1, 1}, Dims{1, 1}, s.groups};
    const int64_t positions = (s.size + 2 - s.kernel) / s.stride + 1;
    const Array x = random_array({s.batch, s.in, s.size, s.size}, 1),
                gy = random_array({s.batch, s.out, positions, positions}, 2);
    const Array W = random_array({s.out, s.in / s.groups, s.kernel, s.kernel}, 3),
                b = random_array({s.out}, 4);
    Array y = Array::empty(gy.type(), cpu_device()), gx = Array::empty(x.type(), cpu_device());
    Array gW = Array::empty(W.type(), cpu_device());
    convolve(x, W, b, steps, y);
    convolve_data(gy, W, steps, gx);
    convolve_weights(x, gy, steps, gW);
    for (bool x_last : {false, true})
        for (bool y_last : {false, true}) {
            SCOPED_TRACE(fmt::format("x {} y {}", x_last, y_last));
            const auto ordered = [](const Array& array, bool last) {
                return last ? with_channels_last(array) : array;
            };
            const Array x2 = ordered(x, x_last), gy2 = ordered(gy, y_last);
            const Array y2 = ordered(random_array(y.shape(), 5), y_last),
                        gx2 = ordered(random_array(x.shape(), 5), x_last);
            const Array gW2 = Array::empty(W.type(), cpu_device());
            convolve(x2, W, b, steps, y2);
            convolve_data(gy2, W, steps, gx2);
            convolve_weights(x2, gy2, steps, gW2);
            expect_near(y, y2);
            expect_near(gx, gx2);
            expect_near(gW, gW2);
        }
}

INSTANTIATE_TEST_SUITE_P(sizes, ConvolutionOrder,
                         ::testing::Values(Sizes{2, 3, 5, 9, 3, 1, 1},
                                           Sizes{5, 16, 64, 14, 3, 2, 1},
                                           Sizes{1, 64, 32, 7, 1, 1, 1}, Sizes{3, 8, 8, 6, 3, 1, 8},
                                           Sizes{2, 6, 4, 6, 3, 1, 2}, Sizes{4, 1, 3, 8, 3, 1, 1}),
                         [](const auto& info) {
                             return fmt::format("{}x{}_to_{}_stride_{}_groups_{}", info.param.batch,
                                                info.param.in, info.param.out, info.param.stride,
                                                info.param.groups);
                         });

}  // namespace
}  // namespace catena
