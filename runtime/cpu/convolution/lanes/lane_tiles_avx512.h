#pragma once

#include "runtime/cpu/avx512.h"
#include "runtime/cpu/convolution/lanes/lane_tile.h"

#if defined(__x86_64__)

namespace catena::lane_tiles::avx512 {

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
            const float *x = t.x + c * t.x_channel + i * t.x_row,
                        *W = t.W + c * t.W_channel + i * t.W_row;
            for (int64_t j = 0; j < t.taps; ++j, x += t.x_tap, W += t.W_tap) {
                __m512 values[positions];
#pragma GCC unroll 8
                for (int p = 0; p < positions; ++p)
                    values[p] = _mm512_load_ps(x + p * t.x_position);
#pragma GCC unroll 8
                for (int o = 0; o < outs; ++o) {
                    const __m512 weight = _mm512_set1_ps(W[o]);
#pragma GCC unroll 8
                    for (int p = 0; p < positions; ++p)
                        sums[o][p] = _mm512_fmadd_ps(weight, values[p], sums[o][p]);
                }
            }
        }
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int p = 0; p < positions; ++p)
            _mm512_store_ps(t.y + o * t.y_channel + p * t.y_position, sums[o][p]);
}

template <int outs, int taps>
__attribute__((target("avx512f"))) void multiply(const Products& t) {
    __m512 sums[outs][taps];
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int j = 0; j < taps; ++j)
            sums[o][j] = _mm512_load_ps(t.sums + j * t.sums_tap + o * 16);
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
                for (int j = 0; j < taps; ++j)
                    sums[o][j] = _mm512_fmadd_ps(gradient, values[j], sums[o][j]);
            }
        }
    }
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int j = 0; j < taps; ++j)
            _mm512_store_ps(t.sums + j * t.sums_tap + o * 16, sums[o][j]);
}

}  // namespace catena::lane_tiles::avx512

#endif
