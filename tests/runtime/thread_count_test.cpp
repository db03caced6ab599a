// Eager results have the same bits on any number of threads: products and convolutions, whose
// libraries divide their work by the number of threads. All other operations:
// tests/ops/thread_check.h.

#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/product/gemm.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

Array random_array(const Shape& shape, uint64_t seed) {
    Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    uint64_t state = seed * 2654435761u + 1;
    for (int64_t i = 0; i < array.size(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        array.data<float>()[i] = float(int64_t(state >> 40)) / float(1 << 23) - 1;
    }
    return array;
}

/// `compute` writes `result`: with the same bits on 1, 2, 3, 4, 7 and 16 threads.
template <class F>
void expect_same_bits(const Array& result, F&& compute) {
    const auto bits_on = [&](int count) {
        const testing::Threads scope(count);
        compute();
        return std::vector<float>(result.data<float>(), result.data<float>() + result.size());
    };
    const std::vector<float> expected = bits_on(1);
    for (int count : {2, 3, 4, 7, 16}) {
        const std::vector<float> bits = bits_on(count);
        EXPECT_EQ(0, std::memcmp(expected.data(), bits.data(), bits.size() * sizeof(float)))
            << "other bits on " << count << " threads";
    }
}

struct Sizes {
    int64_t m, n, k;
};

class ProductBits : public ::testing::TestWithParam<Sizes> {};

TEST_P(ProductBits, are_the_same_on_any_number_of_threads) {
    const auto [m, n, k] = GetParam();
    for (bool transa : {false, true})
        for (bool transb : {false, true}) {
            SCOPED_TRACE(fmt::format("transa {} transb {}", transa, transb));
            const Array a = random_array(transa ? Shape{k, m} : Shape{m, k}, 1);
            const Array b = random_array(transb ? Shape{n, k} : Shape{k, n}, 2);
            const Array y = Array::empty({Dtype::float32, Shape{m, n}}, cpu_device());
            expect_same_bits(y, [&] { matmul_arrays(a, b, transa, transb, y); });
        }
}

// Rows and columns alone, short and long sums, sizes that oneDNN copies and sizes that it does not.
INSTANTIATE_TEST_SUITE_P(
    sizes, ProductBits,
    ::testing::Values(Sizes{1, 1000, 784}, Sizes{1000, 1, 784}, Sizes{1, 1, 100'000},
                      Sizes{3, 200, 1000}, Sizes{33, 65, 129}, Sizes{100, 10, 1000},
                      Sizes{64, 64, 20'000}, Sizes{128, 300, 5000}, Sizes{100, 1000, 784},
                      Sizes{500, 500, 500}, Sizes{1030, 1100, 64}, Sizes{2000, 1100, 33}),
    [](const auto& info) {
        return fmt::format("{}x{}x{}", info.param.m, info.param.n, info.param.k);
    });

struct Images {
    int64_t batch, in, out, size, kernel, stride, groups;
};

class ConvolutionBits : public ::testing::TestWithParam<Images> {};

TEST_P(ConvolutionBits, are_the_same_on_any_number_of_threads) {
    const Images s = GetParam();
    WindowSteps steps{Dims{s.stride, s.stride}, Dims{s.kernel / 2, s.kernel / 2}, Dims{1, 1},
                      s.groups};
    const int64_t positions = (s.size + s.kernel / 2 * 2 - s.kernel) / s.stride + 1;
    const Array x = random_array({s.batch, s.in, s.size, s.size}, 1);
    const Array W = random_array({s.out, s.in / s.groups, s.kernel, s.kernel}, 2);
    const Array gy = random_array({s.batch, s.out, positions, positions}, 3);
    const Array y = Array::empty(gy.type(), cpu_device());
    const Array gx = Array::empty(x.type(), cpu_device()),
                gW = Array::empty(W.type(), cpu_device());
    expect_same_bits(y, [&] { convolve(x, W, Array(), steps, y); });
    expect_same_bits(gx, [&] { convolve_data(gy, W, steps, gx); });
    expect_same_bits(gW, [&] { convolve_weights(x, gy, steps, gW); });
}

INSTANTIATE_TEST_SUITE_P(
    sizes, ConvolutionBits,
    ::testing::Values(Images{7, 1, 6, 28, 5, 1, 1},       // an odd batch in parts
                      Images{16, 6, 16, 14, 5, 1, 1},     // few channels
                      Images{2, 3, 64, 56, 7, 2, 1},      // the first layer of a network
                      Images{4, 64, 64, 14, 3, 1, 1},     // a batch and channels in parts
                      Images{1, 64, 128, 14, 3, 1, 1},    // channels in parts
                      Images{2, 256, 256, 7, 1, 1, 1},    // large weights
                      Images{8, 32, 32, 14, 3, 1, 32},    // depthwise
                      Images{4, 24, 40, 9, 3, 2, 2},      // groups
                      Images{16, 64, 64, 18, 3, 1, 1},    // many tiles
                      Images{6, 256, 256, 11, 3, 1, 1}),  // weights that threads share
    [](const auto& info) {
        const Images& s = info.param;
        return fmt::format("{}x{}x{}_to_{}_kernel_{}_step_{}_groups_{}", s.batch, s.in, s.size,
                           s.out, s.kernel, s.stride, s.groups);
    });

}  // namespace
}  // namespace catena
