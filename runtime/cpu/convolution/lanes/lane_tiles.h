#pragma once

#include <array>
#include <cstdint>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>

namespace catena::lane_tiles {

// The inner loops of convolutions of sixteen images side by side (runtime/cpu/convolution/lanes/lane_images.h): sums that stay in registers. Steps
// are in floats.

/// y[o, p] = bias[o] + the sum over channels, rows and taps of W[c, i, j, o] x[c, i, j + p].
struct Correlation {
    const float *x, *W, *bias;
    float* y;
    int64_t channels, rows, taps;
    int64_t x_channel, x_row, x_tap, x_position;
    int64_t W_channel, W_row, W_tap;
    int64_t y_channel, y_position;
};

template <int outs, int positions>
__attribute__((target("avx512f"))) void correlate(const Correlation& t) {
    __m512 sums[outs][positions];
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o) {
        const __m512 bias = t.bias ? _mm512_set1_ps(t.bias[o]) : _mm512_setzero_ps();
#pragma GCC unroll 8
        for (int p = 0; p < positions; ++p) sums[o][p] = bias;
    }
    for (int64_t c = 0; c < t.channels; ++c)
        for (int64_t i = 0; i < t.rows; ++i) {
            const float *x = t.x + c * t.x_channel + i * t.x_row, *W = t.W + c * t.W_channel + i * t.W_row;
            for (int64_t j = 0; j < t.taps; ++j, x += t.x_tap, W += t.W_tap) {
                __m512 values[positions];
#pragma GCC unroll 8
                for (int p = 0; p < positions; ++p) values[p] = _mm512_load_ps(x + p * t.x_position);
#pragma GCC unroll 8
                for (int o = 0; o < outs; ++o) {
                    const __m512 weight = _mm512_set1_ps(W[o]);
#pragma GCC unroll 8
                    for (int p = 0; p < positions; ++p) sums[o][p] = _mm512_fmadd_ps(weight, values[p], sums[o][p]);
                }
            }
        }
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int p = 0; p < positions; ++p) _mm512_store_ps(t.y + o * t.y_channel + p * t.y_position, sums[o][p]);
}

/// sums[j, o] += the sum over rows and positions of gy[o, i, p] x[i, p + j], in each lane.
struct Products {
    const float *x, *gy;
    float* sums;
    int64_t rows, positions;
    int64_t x_row, x_tap, x_position;
    int64_t gy_channel, gy_row, gy_position;
    int64_t sums_tap;  ///< The sums of channels follow each other, 16 lanes each.
};

template <int outs, int taps>
__attribute__((target("avx512f"))) void multiply(const Products& t) {
    __m512 sums[outs][taps];
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int j = 0; j < taps; ++j) sums[o][j] = _mm512_load_ps(t.sums + j * t.sums_tap + o * 16);
    for (int64_t i = 0; i < t.rows; ++i) {
        const float *x = t.x + i * t.x_row, *gy = t.gy + i * t.gy_row;
        for (int64_t p = 0; p < t.positions; ++p, x += t.x_position, gy += t.gy_position) {
            __m512 values[taps];
#pragma GCC unroll 8
            for (int j = 0; j < taps; ++j) values[j] = _mm512_load_ps(x + j * t.x_tap);
#pragma GCC unroll 8
            for (int o = 0; o < outs; ++o) {
                const __m512 gradient = _mm512_load_ps(gy + o * t.gy_channel);
#pragma GCC unroll 8
                for (int j = 0; j < taps; ++j) sums[o][j] = _mm512_fmadd_ps(gradient, values[j], sums[o][j]);
            }
        }
    }
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int j = 0; j < taps; ++j) _mm512_store_ps(t.sums + j * t.sums_tap + o * 16, sums[o][j]);
}

// Which of them there are: at least so many sums that additions need not wait for each other, and no more than registers.

constexpr int most_outs = 6;
/// Positions for so many output channels.
constexpr std::array<int, most_outs + 1> most_positions = {0, 8, 8, 7, 6, 4, 4};
constexpr int most_taps = 5, most_gradients = 4;

template <int outs, int... p>
constexpr std::array<void (*)(const Correlation&), 8> correlations_of(std::integer_sequence<int, p...>) {
    return {&correlate<outs, p + 1>...};
}
template <int... o>
constexpr std::array<std::array<void (*)(const Correlation&), 8>, most_outs> all_correlations(std::integer_sequence<int, o...>) {
    return {correlations_of<o + 1>(std::make_integer_sequence<int, most_positions[o + 1]>())...};
}
template <int outs, int... j>
constexpr std::array<void (*)(const Products&), most_taps> products_of(std::integer_sequence<int, j...>) {
    return {&multiply<outs, j + 1>...};
}
template <int... o>
constexpr std::array<std::array<void (*)(const Products&), most_taps>, most_gradients> all_products(std::integer_sequence<int, o...>) {
    return {products_of<o + 1>(std::make_integer_sequence<int, most_taps>())...};
}

/// correlations[outs - 1][positions - 1], products[outs - 1][taps - 1].
inline constexpr auto correlations = all_correlations(std::make_integer_sequence<int, most_outs>());
inline constexpr auto products = all_products(std::make_integer_sequence<int, most_gradients>());

}  // namespace catena::lane_tiles

#endif
