#pragma once

// Convolutions by tiles against the definition in float64.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "tests/support/random_numbers.h"

namespace catena {

struct Images {
    int64_t batch, in, out, height, width, pad_top, pad_left;
    int64_t taps = 3, stride = 1;  ///< On both axes.
};

inline Array random_array(const Shape& shape, uint64_t seed,
                          MemoryOrder order = MemoryOrder::row_major) {
    const Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    testing::fill_random(seed, array.to_fill<float>(), array.size());
    return array.view(shape, strides_in(order, shape), 0);
}

/// NaN, which stays where nothing is written, or something is added.
inline Array unwritten_array(const Shape& shape, MemoryOrder order = MemoryOrder::row_major) {
    return Array::full({Dtype::float32, shape}, std::numeric_limits<double>::quiet_NaN())
        .view(shape, strides_in(order, shape), 0);
}

inline float& element(const Array& array, int64_t n, int64_t c, int64_t h, int64_t w) {
    const Strides& s = array.strides();
    return array.to_fill<float>()[n * s[0] + c * s[1] + h * s[2] + w * s[3]];
}

struct Case {
    Case(const Images& s, MemoryOrder order)
        : steps{Dims{s.stride, s.stride}, Dims{s.pad_top, s.pad_left}, Dims{1, 1}, 1} {
        const int64_t rows = (s.height + 2 * s.pad_top - s.taps) / s.stride + 1,
                      columns = (s.width + 2 * s.pad_left - s.taps) / s.stride + 1;
        x = random_array({s.batch, s.in, s.height, s.width}, 1, order);
        W = random_array({s.out, s.in, s.taps, s.taps}, 2);
        b = random_array({s.out}, 3);
        gy = random_array({s.batch, s.out, rows, columns}, 4, order);
        y = unwritten_array(gy.shape(), order);
        gx = unwritten_array(x.shape(), order);
        gW = unwritten_array(W.shape());
    }
    /// What the definition gives in float64 for one element of each result.
    double y_at(int64_t n, int64_t o, int64_t h, int64_t w, bool biased) const {
        double sum = biased ? double(b.to_fill<float>()[o]) : 0;
        for (int64_t c = 0; c < x.dim(1); ++c)
            for_taps([&](int64_t i, int64_t j) {
                sum += at(x, n, c, row(h, i), column(w, j)) * at(W, o, c, i, j);
            });
        return sum;
    }
    double gx_at(int64_t n, int64_t c, int64_t h, int64_t w) const {
        double sum = 0;
        for (int64_t o = 0; o < gy.dim(1); ++o)
            for_taps([&](int64_t i, int64_t j) {
                const int64_t row = h - i + steps.pad[0], column = w - j + steps.pad[1],
                              step = steps.stride[0];
                if (row % step == 0 && column % step == 0)
                    sum += at(gy, n, o, row / step, column / step) * at(W, o, c, i, j);
            });
        return sum;
    }
    double gW_at(int64_t o, int64_t c, int64_t i, int64_t j) const {
        double sum = 0;
        for (int64_t n = 0; n < x.dim(0); ++n)
            for (int64_t h = 0; h < gy.dim(2); ++h)
                for (int64_t w = 0; w < gy.dim(3); ++w)
                    sum += at(x, n, c, row(h, i), column(w, j)) * at(gy, n, o, h, w);
        return sum;
    }
    /// 0 outside of the array.
    static double at(const Array& array, int64_t n, int64_t c, int64_t h, int64_t w) {
        const bool inside = h >= 0 && h < array.dim(2) && w >= 0 && w < array.dim(3);
        return inside ? double(element(array, n, c, h, w)) : 0;
    }
    int64_t row(int64_t position, int64_t tap) const {
        return position * steps.stride[0] + tap - steps.pad[0];
    }
    int64_t column(int64_t position, int64_t tap) const {
        return position * steps.stride[1] + tap - steps.pad[1];
    }
    template <class F>
    void for_taps(F&& f) const {
        for (int64_t i = 0; i < W.dim(2); ++i)
            for (int64_t j = 0; j < W.dim(3); ++j) f(i, j);
    }

    WindowSteps steps;
    Array x, W, b, gy, y, gx, gW;
};

/// Compares 400 elements, the last of each axis among them: root mean square and largest difference
/// in units of truth's root mean square.
template <class Truth>
void expect_near(const Array& actual, Truth&& truth) {
    double squares = 0, differences = 0, largest = 0;
    uint64_t state = 1;
    const auto pick = [&](int64_t size) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return int64_t(state >> 33) % 4 == 0 ? size - 1 : int64_t(state >> 33) / 4 % size;
    };
    constexpr int count = 400;
    for (int i = 0; i < count; ++i) {
        const int64_t n = pick(actual.dim(0)), c = pick(actual.dim(1)), h = pick(actual.dim(2)),
                      w = pick(actual.dim(3));
        const double expected = truth(n, c, h, w),
                     difference = double(element(actual, n, c, h, w)) - expected;
        squares += expected * expected;
        differences += difference * difference;
        largest = std::max(largest, std::abs(difference));
    }
    EXPECT_LT(std::sqrt(differences / squares), 3e-6);
    EXPECT_LT(largest, 3e-5 * std::sqrt(squares / count));
}

}  // namespace catena
