#pragma once

#include <array>

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/convolution/lanes/lane_tile.h"

// The loops of lane_tiles_avx512.h on AVX2: eight images after the other eight, and sums in parts
// that fit the registers. The bits are the same.

#if defined(__x86_64__)

namespace catena::lane_tiles::avx2 {

using namespace catena::avx2;

/// Computes a correlation for eight of the images, from lane `first` on.
template <int outs, int positions>
CATENA_AVX2 void correlate_part(const Correlation& t, int64_t position, int64_t first) {
    __m256 sums[outs][positions];
#pragma GCC unroll 6
    for (int o = 0; o < outs; ++o) {
        const __m256 bias = t.bias ? _mm256_broadcast_ss(t.bias + o) : _mm256_setzero_ps();
#pragma GCC unroll 7
        for (int p = 0; p < positions; ++p) sums[o][p] = bias;
    }
    for (int64_t c = 0; c < t.channels; ++c)
        for (int64_t i = 0; i < t.rows; ++i) {
            const float *x = t.x + c * t.x_channel + i * t.x_row + position * t.x_position + first,
                        *W = t.W + c * t.W_channel + i * t.W_row;
            for (int64_t j = 0; j < t.taps; ++j, x += t.x_tap, W += t.W_tap) {
                __m256 values[positions];
#pragma GCC unroll 7
                for (int p = 0; p < positions; ++p)
                    values[p] = _mm256_load_ps(x + p * t.x_position);
#pragma GCC unroll 6
                for (int o = 0; o < outs; ++o) {
                    const __m256 weight = _mm256_broadcast_ss(W + o);
#pragma GCC unroll 7
                    for (int p = 0; p < positions; ++p)
                        sums[o][p] = _mm256_fmadd_ps(weight, values[p], sums[o][p]);
                }
            }
        }
#pragma GCC unroll 6
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 7
        for (int p = 0; p < positions; ++p)
            _mm256_store_ps(t.y + o * t.y_channel + (position + p) * t.y_position + first,
                            sums[o][p]);
}

/// Computes positions from `begin` on, as many as are left.
template <int outs, int positions>
void correlate_from(const Correlation& t, int64_t begin, int64_t first) {
    constexpr std::array<int, 7> most = {0, 7, 5, 3, 3, 2, 2};
    constexpr int parts = (positions + most[outs] - 1) / most[outs],
                  now = (positions + parts - 1) / parts;
    correlate_part<outs, now>(t, begin, first);
    if constexpr (now < positions) correlate_from<outs, positions - now>(t, begin + now, first);
}

template <int outs, int positions>
void correlate(const Correlation& t) {
    for (int64_t first = 0; first < 2 * lanes; first += lanes)
        correlate_from<outs, positions>(t, 0, first);
}

template <int outs, int taps>
CATENA_AVX2 void multiply_part(const Products& t, int64_t tap, int64_t first) {
    __m256 sums[outs][taps];
    float* const to = t.sums + tap * t.sums_tap + first;
#pragma GCC unroll 4
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 5
        for (int j = 0; j < taps; ++j) sums[o][j] = _mm256_load_ps(to + j * t.sums_tap + o * 16);
    for (int64_t i = 0; i < t.rows; ++i) {
        const float *x = t.x + i * t.x_row + tap * t.x_tap + first,
                    *gy = t.gy + i * t.gy_row + first;
        for (int64_t p = 0; p < t.positions; ++p, x += t.x_position, gy += t.gy_position) {
            __m256 values[taps];
#pragma GCC unroll 5
            for (int j = 0; j < taps; ++j) values[j] = _mm256_load_ps(x + j * t.x_tap);
#pragma GCC unroll 4
            for (int o = 0; o < outs; ++o) {
                const __m256 gradient = _mm256_load_ps(gy + o * t.gy_channel);
#pragma GCC unroll 5
                for (int j = 0; j < taps; ++j)
                    sums[o][j] = _mm256_fmadd_ps(gradient, values[j], sums[o][j]);
            }
        }
    }
#pragma GCC unroll 4
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 5
        for (int j = 0; j < taps; ++j) _mm256_store_ps(to + j * t.sums_tap + o * 16, sums[o][j]);
}

template <int outs, int taps>
void multiply(const Products& t) {
    constexpr int now = outs > 2 && taps > 3 ? 3 : taps;
    for (int64_t first = 0; first < 2 * lanes; first += lanes) {
        multiply_part<outs, now>(t, 0, first);
        if constexpr (now < taps) multiply_part<outs, taps - now>(t, now, first);
    }
}

}  // namespace catena::lane_tiles::avx2

#endif
