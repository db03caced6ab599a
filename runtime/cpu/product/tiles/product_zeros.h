#pragma once

#include <algorithm>

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/avx512.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/tiles/tile.h"

// Masked scores of attention are half zeros: each row of a causal one ends with them, and each row
// of its transpose begins with them. What a zero is multiplied with does not count, if that is
// finite.

#if defined(__x86_64__)
namespace catena {

struct TileRange {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
    friend bool operator==(const TileRange&, const TileRange&) = default;
};

namespace avx512 {

/// Whether columns [p, p + count) of the tile's rows are zeros, count <= tile_lanes; rows of a are
/// row-major.
CATENA_AVX512 inline bool are_zeros(const Tile& t, int64_t rows, int64_t p, int64_t count) {
    const auto there = __mmask16((1u << count) - 1);
    __m512i bits = _mm512_setzero_si512();
    for (int64_t i = 0; i < rows; ++i)
        bits = _mm512_or_si512(bits, _mm512_maskz_loadu_epi32(there, t.a + i * t.a_row + p));
    return _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x7fffffff)) == 0;
}
/// Whether columns [p, p + count) of the tile's rows are zeros, for interleaved rows (a transposed
/// a).
CATENA_AVX512 inline bool are_zeros_beside(const Tile& t, int64_t rows, int64_t p, int64_t count) {
    const auto there = __mmask8((1u << rows) - 1);
    __m256i bits = _mm256_setzero_si256();
    for (int64_t q = p; q < p + count; ++q)
        bits = _mm256_or_si256(bits, _mm256_maskz_loadu_epi32(there, t.a + q * t.a_step));
    return _mm256_test_epi32_mask(bits, _mm256_set1_epi32(0x7fffffff)) == 0;
}

CATENA_AVX512 inline bool is_finite(const float* from, int64_t row, int64_t rows, int64_t columns) {
    const __m512 magnitude = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fffffff)),
                 infinity = _mm512_castsi512_ps(_mm512_set1_epi32(0x7f800000));
    __mmask16 others = 0;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; j += tile_lanes) {
            const auto there = __mmask16((1u << std::min(columns - j, tile_lanes)) - 1);
            const __m512 x =
                _mm512_and_ps(_mm512_maskz_loadu_ps(there, from + i * row + j), magnitude);
            others |= _mm512_cmp_ps_mask(x, infinity, _CMP_NLT_UQ);
        }
    return others == 0;
}

}  // namespace avx512

namespace avx2 {

/// Whether a register holds only zeros, of either sign.
CATENA_AVX2_INLINE bool are_zeros(__m256i bits) {
    return _mm256_testz_si256(bits, _mm256_set1_epi32(0x7fffffff));
}

CATENA_AVX2 inline bool are_zeros(const Tile& t, int64_t rows, int64_t p, int64_t count) {
    __m256i bits = _mm256_setzero_si256();
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < count; j += lanes)
            bits = _mm256_or_si256(bits, _mm256_castps_si256(load_first(t.a + i * t.a_row + p + j,
                                                                        lanes_from(count, j))));
    return are_zeros(bits);
}
CATENA_AVX2 inline bool are_zeros_beside(const Tile& t, int64_t rows, int64_t p, int64_t count) {
    static_assert(most_tile_rows == lanes);
    __m256i bits = _mm256_setzero_si256();
    for (int64_t q = p; q < p + count; ++q)
        bits = _mm256_or_si256(bits, _mm256_castps_si256(load_first(t.a + q * t.a_step, rows)));
    return are_zeros(bits);
}
CATENA_AVX2 inline bool is_finite(const float* from, int64_t row, int64_t rows, int64_t columns) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)),
                 infinity = _mm256_castsi256_ps(_mm256_set1_epi32(0x7f800000));
    __m256 others = _mm256_setzero_ps();
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; j += lanes) {
            const __m256 x =
                _mm256_and_ps(load_first(from + i * row + j, lanes_from(columns, j)), magnitude);
            others = _mm256_or_ps(others, _mm256_cmp_ps(x, infinity, _CMP_NLT_UQ));
        }
    return _mm256_movemask_ps(others) == 0;
}

}  // namespace avx2

/// The part of [0, k) outside of which the tile's rows of a are zeros, in steps of a vector. For
/// rows without a zero it reads few elements.
inline TileRange nonzero_part(const Tile& t, int64_t rows) {
    const auto are_zeros = [&](int64_t p, int64_t count) {
        if (has_avx512())
            return t.a_step == 1 ? avx512::are_zeros(t, rows, p, count)
                                 : avx512::are_zeros_beside(t, rows, p, count);
        return t.a_step == 1 ? avx2::are_zeros(t, rows, p, count)
                             : avx2::are_zeros_beside(t, rows, p, count);
    };
    TileRange part{0, t.k};
    while (part.end > 0) {
        const int64_t first = (part.end - 1) / tile_lanes * tile_lanes;
        if (!are_zeros(first, part.end - first)) break;
        part.end = first;
    }
    while (part.begin + tile_lanes < part.end && are_zeros(part.begin, tile_lanes))
        part.begin += tile_lanes;
    return part;
}

/// Whether no element of a matrix [rows, columns], its rows `row` apart, is infinity or NaN.
inline bool is_finite(const float* from, int64_t row, int64_t rows, int64_t columns) {
    return has_avx512() ? avx512::is_finite(from, row, rows, columns)
                        : avx2::is_finite(from, row, rows, columns);
}

}  // namespace catena
#endif
