// Products and convolutions of bfloat16 arrays against float64, which computes them by their
// definition.

#include "runtime/cpu/product/bfloat16.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/core/random/random.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/product/gemm.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

using testing::Threads;

Array empty(Dtype dtype, const Shape& shape) { return Array::empty({dtype, shape}, cpu_device()); }

Array random_array(const Shape& shape, uint64_t seed, MemoryOrder order = MemoryOrder::row_major) {
    const Array wide = empty(Dtype::float32, shape);
    fill_normal(RandomStream{seed, 0}, wide.to_fill<float>(), wide.size());
    return wide.astype(Dtype::bfloat16).view(shape, strides_in(order, shape), 0);
}

Array in_order(const Shape& shape, MemoryOrder order) {
    return empty(Dtype::bfloat16, shape).view(shape, strides_in(order, shape), 0);
}

Array absolute(const Array& array) {
    const Array result = array.astype(Dtype::float64).as_contiguous();
    const Array positive = empty(Dtype::float64, array.shape());
    for (int64_t i = 0; i < array.size(); ++i)
        positive.to_fill<double>()[i] = std::abs(result.elements<double>()[i]);
    return positive;
}

/// `result` within its dtype's rounding, and float32's of its terms, of `exact`; `terms` is the sum
/// of their magnitudes.
void expect_near(const Array& result, const Array& exact, const Array& terms,
                 const std::string& what) {
    const std::vector<double> got = result.to_vector<double>(), want = exact.to_vector<double>(),
                              size = terms.to_vector<double>();
    const double rounding = result.dtype() == Dtype::bfloat16 ? 0x1p-8 : 0;
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_LE(std::abs(got[i] - want[i]), rounding * std::abs(want[i]) + 1e-6 * size[i])
            << what << " element " << i;
}

std::vector<uint16_t> bits_of_array(const Array& array) {
    const Array plain = array.as_contiguous();
    std::vector<uint16_t> bits(size_t(plain.size()));
    std::memcpy(bits.data(), plain.elements(), bits.size() * 2);
    return bits;
}

struct Sizes {
    int64_t m, n, k;
};
const Sizes products[] = {{1, 1, 1},    {3, 5, 7},      {17, 33, 65}, {128, 96, 64},
                          {2, 300, 70}, {40, 24, 9000}, {5, 4, 0},    {260, 270, 130}};

Array factor(int64_t rows, int64_t columns, bool transposed, uint64_t seed) {
    return random_array(transposed ? Shape{columns, rows} : Shape{rows, columns}, seed);
}

TEST(Bfloat16, products_are_near_float64_with_and_without_transposes) {
    for (const Sizes& s : products)
        for (int flags = 0; flags < 4; ++flags)
            for (const Dtype dtype : {Dtype::bfloat16, Dtype::float32}) {
                const bool ta = flags & 1, tb = flags & 2;
                const Array a = factor(s.m, s.k, ta, 1), b = factor(s.k, s.n, tb, 2),
                            y = empty(dtype, {s.m, s.n});
                const Array exact = empty(Dtype::float64, y.shape()),
                            terms = empty(Dtype::float64, y.shape());
                matmul_arrays(a, b, ta, tb, y);
                matmul_arrays(a, b, ta, tb, exact);
                matmul_arrays(absolute(a), absolute(b), ta, tb, terms);
                expect_near(y, exact, terms,
                            fmt::format("{}x{}x{} {} {}", s.m, s.n, s.k, flags, name_of(dtype)));
            }
}

TEST(Bfloat16, a_batch_of_views_is_multiplied_matrix_by_matrix) {
    const Array a = random_array({3, 1, 20, 8}, 1), b = random_array({4, 8, 12}, 2),
                y = empty(Dtype::bfloat16, {3, 4, 10, 12});
    const Array every_second = a.view({3, 1, 10, 8}, Strides{160, 160, 16, 1}, 0);
    const Array exact = empty(Dtype::float64, y.shape()), terms = empty(Dtype::float64, y.shape());
    matmul_arrays(every_second, b, false, false, y);
    matmul_arrays(every_second, b, false, false, exact);
    matmul_arrays(absolute(every_second), absolute(b), false, false, terms);
    expect_near(y, exact, terms, "batch");
}

TEST(Bfloat16, products_have_the_same_bits_on_any_number_of_threads) {
    for (const Sizes& s : products) {
        std::vector<uint16_t> first;
        for (const int threads : {1, 2, 3, 4}) {
            const Threads scope(threads);
            const Array y = empty(Dtype::bfloat16, {s.m, s.n});
            matmul_arrays(random_array({s.m, s.k}, 1), random_array({s.n, s.k}, 2), false, true, y);
            if (threads == 1) first = bits_of_array(y);
            EXPECT_EQ(bits_of_array(y), first)
                << s.m << "x" << s.n << "x" << s.k << " on " << threads;
        }
    }
}

TEST(Bfloat16, infinity_and_nan_pass_through_a_product) {
    const Array a = Array::from({1.0f, INFINITY, NAN, -INFINITY})
                        .astype(Dtype::bfloat16)
                        .view({4, 1}, Strides{1, 1}, 0);
    const Array b = Array::from({2.0f}).astype(Dtype::bfloat16).view({1, 1}, Strides{1, 1}, 0),
                y = empty(Dtype::bfloat16, {4, 1});
    matmul_arrays(a, b, false, false, y);
    const std::vector<float> values = y.to_vector<float>();
    EXPECT_EQ(values[0], 2);
    EXPECT_EQ(values[1], INFINITY);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_EQ(values[3], -INFINITY);
}

struct Layer {
    Shape x, W;
    int64_t stride, pad, dilate, groups;
};
const Layer layers[] = {
    {{2, 16, 9, 9}, {32, 16, 3, 3}, 1, 1, 1, 1},    {{2, 16, 9, 9}, {8, 16, 1, 1}, 1, 0, 1, 1},
    {{1, 3, 20, 20}, {16, 3, 7, 7}, 2, 3, 1, 1},    {{2, 5, 8, 7}, {7, 5, 3, 2}, 2, 1, 2, 1},
    {{2, 32, 8, 8}, {32, 1, 3, 3}, 1, 1, 1, 32},    {{2, 8, 8, 8}, {12, 4, 3, 3}, 1, 1, 1, 2},
    {{1, 4, 5, 6, 7}, {6, 4, 3, 3, 3}, 1, 1, 1, 1}, {{2, 9, 11, 10}, {5, 9, 2, 2}, 3, 0, 1, 1},
    {{2, 6, 7, 7}, {6, 2, 3, 3}, 2, 2, 1, 3},       {{3, 6, 15}, {4, 6, 3}, 1, 1, 1, 1},
    {{8, 64, 4, 4}, {64, 64, 3, 3}, 1, 1, 1, 1},
};

struct Case {
    Case(const Layer& l, MemoryOrder order) : shape{l.x[0], l.W[0]} {
        const int axes = l.x.rank() - 2;
        const Dims stride = Dims::filled(axes, l.stride), pad = Dims::filled(axes, l.pad),
                   dilate = Dims::filled(axes, l.dilate);
        steps = {stride, pad, dilate, l.groups};
        for (int i = 2; i < l.x.rank(); ++i)
            shape.push_back((l.x[i] + 2 * l.pad - (l.W[i] - 1) * l.dilate - 1) / l.stride + 1);
        x = random_array(l.x, 1, order), W = random_array(l.W, 2), b = random_array({l.W[0]}, 3),
        gy = random_array(shape, 4, order);
        y = in_order(shape, order), gx = in_order(l.x, order), gW = empty(Dtype::bfloat16, l.W);
    }
    void run() const {
        convolve(x, W, b, steps, y);
        convolve_data(gy, W, steps, gx);
        convolve_weights(x, gy, steps, gW);
    }
    void check(const std::string& what) const {
        const auto like = [](const Array& array) { return empty(Dtype::float64, array.shape()); };
        const auto wide = [](const Array& array) { return array.astype(Dtype::float64); };
        Array exact = like(y), terms = like(y);
        convolve(wide(x), wide(W), wide(b), steps, exact);
        convolve(absolute(x), absolute(W), absolute(b), steps, terms);
        expect_near(y, exact, terms, what + " y");
        exact = like(gx), terms = like(gx);
        convolve_data(wide(gy), wide(W), steps, exact);
        convolve_data(absolute(gy), absolute(W), steps, terms);
        expect_near(gx, exact, terms, what + " gx");
        exact = like(gW), terms = like(gW);
        convolve_weights(wide(x), wide(gy), steps, exact);
        convolve_weights(absolute(x), absolute(gy), steps, terms);
        expect_near(gW, exact, terms, what + " gW");
    }

    Shape shape;
    WindowSteps steps;
    Array x, W, b, gy, y, gx, gW;
};

TEST(Bfloat16, convolutions_and_their_gradients_are_near_float64_in_either_memory_order) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last})
        for (size_t i = 0; i < std::size(layers); ++i) {
            const Case c(layers[i], order);
            c.run();
            c.check(fmt::format("layer {} order {}", i, int(order)));
        }
}

TEST(Bfloat16, convolutions_have_the_same_bits_on_any_number_of_threads) {
    for (const MemoryOrder order : {MemoryOrder::row_major, MemoryOrder::channels_last})
        for (const Layer& layer : layers) {
            std::vector<std::vector<uint16_t>> first;
            for (const int threads : {1, 2, 3, 4}) {
                const Threads scope(threads);
                const Case c(layer, order);
                c.run();
                const std::vector<std::vector<uint16_t>> bits{
                    bits_of_array(c.y), bits_of_array(c.gx), bits_of_array(c.gW)};
                if (threads == 1) first = bits;
                EXPECT_EQ(bits, first)
                    << to_string(layer.x) << " " << to_string(layer.W) << " on " << threads;
            }
        }
}

}  // namespace
}  // namespace catena
