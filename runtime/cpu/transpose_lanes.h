#pragma once

#include <bit>
#include <cstdint>

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/avx512.h"
#include "runtime/core/simd/instruction_set.h"

#if defined(__x86_64__)

namespace catena {
namespace avx512 {

/// Transposes sixteen registers: x[i][j] becomes the old x[j][i].
__attribute__((target("avx512f"), always_inline)) inline void transpose_vectors(__m512 (&x)[16]) {
    __m512 y[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
    }
    __m512d pairs[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) pairs[i] = _mm512_castps_pd(y[i]);
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {  // Four rows of four columns in each quarter of a vector.
        x[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(pairs[i], pairs[i + 2]));
        x[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(pairs[i], pairs[i + 2]));
        x[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(pairs[i + 1], pairs[i + 3]));
        x[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(pairs[i + 1], pairs[i + 3]));
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        y[i] = _mm512_shuffle_f32x4(x[i], x[i + 4], 0x88);
        y[i + 4] = _mm512_shuffle_f32x4(x[i], x[i + 4], 0xdd);
        y[i + 8] = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0x88);
        y[i + 12] = _mm512_shuffle_f32x4(x[i + 8], x[i + 12], 0xdd);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        x[i] = _mm512_shuffle_f32x4(y[i], y[i + 8], 0x88);
        x[i + 8] = _mm512_shuffle_f32x4(y[i], y[i + 8], 0xdd);
        x[i + 4] = _mm512_shuffle_f32x4(y[i + 4], y[i + 12], 0x88);
        x[i + 12] = _mm512_shuffle_f32x4(y[i + 4], y[i + 12], 0xdd);
    }
}

__attribute__((target("avx512f"))) inline void transpose_lanes(const float* from, int64_t from_row,
                                                               int64_t rows, uint16_t columns,
                                                               float* to, int64_t to_row) {
    __m512 x[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
        // Four lines ahead: sixteen rows are more than the processor follows by itself.
        _mm_prefetch(reinterpret_cast<const char*>(from + i * from_row + 64), _MM_HINT_T0);
        x[i] = i < rows ? _mm512_maskz_loadu_ps(columns, from + i * from_row) : _mm512_setzero_ps();
    }
    transpose_vectors(x);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i)
        if (columns >> i & 1) _mm512_store_ps(to + i * to_row, x[i]);
}

}  // namespace avx512

/// Transposes lanes: to[c * to_row + r] = from[r * from_row + c] for the columns c, up to 16, whose
/// bits are set in `columns`; rows from `rows` on give zeros.
inline void transpose_lanes(const float* from, int64_t from_row, int64_t rows, uint16_t columns,
                            float* to, int64_t to_row) {
    if (has_avx512())
        avx512::transpose_lanes(from, from_row, rows, columns, to, to_row);
    else
        avx2::transpose_lanes(from, from_row, rows, std::popcount(columns), to, to_row);
}

}  // namespace catena

#endif
