#include "runtime/cpu/pooling/pooling_pairs.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/avx512.h"
#include "runtime/core/simd/instruction_set.h"

namespace catena {

#if defined(__x86_64__)
namespace pairs {
namespace {

namespace avx512 {

CATENA_AVX512 inline __mmask16 first_lanes(int64_t n) {
    return n <= 0 ? 0 : n >= 16 ? 0xFFFF : __mmask16((1u << n) - 1);
}

/// 32 neighbours, those past `count` as 0, as their even and odd elements.
struct Pairs {
    __m512 even, odd;
};
CATENA_AVX512 inline Pairs load_pairs(const float* x, int64_t count) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    __m512 low = _mm512_maskz_loadu_ps(first_lanes(count), x);
    __m512 high = _mm512_maskz_loadu_ps(first_lanes(count - 16), x + 16);
    return {_mm512_permutex2var_ps(low, even, high), _mm512_permutex2var_ps(low, odd, high)};
}

CATENA_AVX512 inline void store_pairs(float* to, int64_t count, __m512 even, __m512 odd) {
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_mask_storeu_ps(to, first_lanes(count), _mm512_permutex2var_ps(even, low, odd));
    _mm512_mask_storeu_ps(to + 16, first_lanes(count - 16),
                          _mm512_permutex2var_ps(even, high, odd));
}

struct Best {
    __m512 value;
    __m512i tap;
};
/// A larger value wins, and so does NaN.
CATENA_AVX512 inline void compete(Best& best, __m512 value, int tap) {
    __mmask16 wins = __mmask16(_mm512_cmp_ps_mask(value, best.value, _CMP_GT_OQ) |
                               _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q));
    best.value = _mm512_mask_mov_ps(best.value, wins, value);
    best.tap = _mm512_mask_mov_epi32(best.tap, wins, _mm512_set1_epi32(tap));
}

CATENA_AVX512 inline __m512 where_tap(__m512i taps, int tap, __m512 value) {
    return _mm512_maskz_mov_ps(_mm512_cmpeq_epi32_mask(taps, _mm512_set1_epi32(tap)), value);
}

CATENA_AVX512 void find_largest(const float* x, int64_t width, int64_t out_height,
                                int64_t out_width, float* y, int32_t* index) {
    for (int64_t row = 0; row < out_height;
         ++row, x += 2 * width, y += out_width, index += out_width)
        for (int64_t o = 0; o < out_width; o += 16) {
            int64_t count = std::min<int64_t>(16, out_width - o);
            Pairs top = load_pairs(x + 2 * o, 2 * count),
                  bottom = load_pairs(x + width + 2 * o, 2 * count);
            Best best{top.even, _mm512_setzero_si512()};
            compete(best, top.odd, 1);
            compete(best, bottom.even, 2);
            compete(best, bottom.odd, 3);
            _mm512_mask_storeu_ps(y + o, first_lanes(count), best.value);
            _mm512_mask_storeu_epi32(index + o, first_lanes(count), best.tap);
        }
}

CATENA_AVX512 void scatter(const float* gy, const int32_t* index, int64_t height, int64_t width,
                           int64_t out_height, int64_t out_width, float* gx) {
    float* row = gx;
    for (int64_t oh = 0; oh < out_height;
         ++oh, row += 2 * width, gy += out_width, index += out_width) {
        for (int64_t o = 0; o < out_width; o += 16) {
            int64_t count = std::min<int64_t>(16, out_width - o);
            __m512 upper = _mm512_maskz_loadu_ps(first_lanes(count), gy + o);
            __m512i taps = _mm512_maskz_loadu_epi32(first_lanes(count), index + o);
            store_pairs(row + 2 * o, 2 * count, where_tap(taps, 0, upper),
                        where_tap(taps, 1, upper));
            store_pairs(row + width + 2 * o, 2 * count, where_tap(taps, 2, upper),
                        where_tap(taps, 3, upper));
        }
        for (int64_t w = 2 * out_width; w < width; ++w) row[w] = row[width + w] = 0;
    }
    std::fill(row, gx + height * width, 0.0f);
}

}  // namespace avx512

namespace avx2 {

using namespace catena::avx2;

/// 16 neighbours, those past `count` as 0, as their even and odd elements.
struct Pairs {
    __m256 even, odd;
};
/// Elements 0 to 3 of both halves of two registers, in order, from 0 1 4 5 and 2 3 6 7 of them.
CATENA_AVX2_INLINE __m256 in_order(__m256 x) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xd8));
}
CATENA_AVX2_INLINE Pairs load_pairs(const float* x, int64_t count) {
    const __m256 low = load_first(x, lanes_from(count, 0)),
                 high = load_first(x + lanes, lanes_from(count, lanes));
    return {in_order(_mm256_shuffle_ps(low, high, 0x88)),
            in_order(_mm256_shuffle_ps(low, high, 0xdd))};
}
CATENA_AVX2_INLINE void store_pairs(float* to, int64_t count, __m256 even, __m256 odd) {
    const __m256 low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
    store_first(to, lanes_from(count, 0), _mm256_permute2f128_ps(low, high, 0x20));
    store_first(to + lanes, lanes_from(count, lanes), _mm256_permute2f128_ps(low, high, 0x31));
}

struct Best {
    __m256 value;
    __m256 tap;  ///< The bits of the number of a tap.
};
/// A larger value wins, and so does NaN.
CATENA_AVX2_INLINE void compete(Best& best, __m256 value, int tap) {
    const __m256 wins = _mm256_or_ps(_mm256_cmp_ps(value, best.value, _CMP_GT_OQ),
                                     _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    best.value = _mm256_blendv_ps(best.value, value, wins);
    best.tap = _mm256_blendv_ps(best.tap, _mm256_castsi256_ps(_mm256_set1_epi32(tap)), wins);
}

CATENA_AVX2_INLINE __m256 where_tap(__m256 taps, int tap, __m256 value) {
    return _mm256_and_ps(
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_castps_si256(taps), _mm256_set1_epi32(tap))),
        value);
}

CATENA_AVX2 void find_largest(const float* x, int64_t width, int64_t out_height, int64_t out_width,
                              float* y, int32_t* index) {
    for (int64_t row = 0; row < out_height;
         ++row, x += 2 * width, y += out_width, index += out_width)
        for (int64_t o = 0; o < out_width; o += lanes) {
            const int64_t count = std::min(lanes, out_width - o);
            const Pairs top = load_pairs(x + 2 * o, 2 * count),
                        bottom = load_pairs(x + width + 2 * o, 2 * count);
            Best best{top.even, _mm256_setzero_ps()};
            compete(best, top.odd, 1);
            compete(best, bottom.even, 2);
            compete(best, bottom.odd, 3);
            store_first(y + o, count, best.value);
            store_first(reinterpret_cast<float*>(index + o), count, best.tap);
        }
}

CATENA_AVX2 void scatter(const float* gy, const int32_t* index, int64_t height, int64_t width,
                         int64_t out_height, int64_t out_width, float* gx) {
    float* row = gx;
    for (int64_t oh = 0; oh < out_height;
         ++oh, row += 2 * width, gy += out_width, index += out_width) {
        for (int64_t o = 0; o < out_width; o += lanes) {
            const int64_t count = std::min(lanes, out_width - o);
            const __m256 upper = load_first(gy + o, count),
                         taps = load_first(reinterpret_cast<const float*>(index + o), count);
            store_pairs(row + 2 * o, 2 * count, where_tap(taps, 0, upper),
                        where_tap(taps, 1, upper));
            store_pairs(row + width + 2 * o, 2 * count, where_tap(taps, 2, upper),
                        where_tap(taps, 3, upper));
        }
        for (int64_t w = 2 * out_width; w < width; ++w) row[w] = row[width + w] = 0;
    }
    std::fill(row, gx + height * width, 0.0f);
}

}  // namespace avx2

}  // namespace
}  // namespace pairs

bool has_masked_pairs() { return instruction_set() != InstructionSet::none; }

void masked_pairs_max(const float* x, int64_t width, int64_t out_height, int64_t out_width,
                      float* y, int32_t* index) {
    (has_avx512() ? pairs::avx512::find_largest : pairs::avx2::find_largest)(x, width, out_height,
                                                                             out_width, y, index);
}

void masked_pairs_scatter(const float* gy, const int32_t* index, int64_t height, int64_t width,
                          int64_t out_height, int64_t out_width, float* gx) {
    (has_avx512() ? pairs::avx512::scatter : pairs::avx2::scatter)(gy, index, height, width,
                                                                   out_height, out_width, gx);
}

#else

bool has_masked_pairs() { return false; }
void masked_pairs_max(const float*, int64_t, int64_t, int64_t, float*, int32_t*) {
    CATENA_ASSERT(false, "masked pairs need AVX2 or AVX-512");
}
void masked_pairs_scatter(const float*, const int32_t*, int64_t, int64_t, int64_t, int64_t,
                          float*) {
    CATENA_ASSERT(false, "masked pairs need AVX2 or AVX-512");
}

#endif

}  // namespace catena
