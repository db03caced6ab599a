#include "runtime/cpu/philox_lanes.h"

#include "runtime/cpu/avx2/registers.h"
#include "runtime/cpu/avx512.h"
#include "runtime/core/simd/instruction_set.h"

namespace catena {

#if defined(__x86_64__)
namespace philox_kernels {
namespace {

/// How many vectors of counters are computed side by side, because each product waits for the one
/// before.
constexpr int side_by_side = 4;
/// Counters that are made at once.
constexpr int64_t at_once = 8 * side_by_side;

uint32_t next_k0(uint32_t k) { return k + 0x9E3779B9u; }
uint32_t next_k1(uint32_t k) { return k + 0xBB67AE85u; }

namespace avx512 {

/// A word of 8 counters, each in the lower half of 64 bits, which is what a product reads; the
/// upper halves hold anything.
struct Words {
    __m512i c0, c1, c2, c3;
};

CATENA_AVX512 inline void next_round(Words& w, uint32_t k0, uint32_t k1) {
    constexpr int three_xor = 0x96;
    const __m512i a = _mm512_mul_epu32(w.c0, _mm512_set1_epi64(0xD2511F53u)),
                  b = _mm512_mul_epu32(w.c2, _mm512_set1_epi64(0xCD9E8D57u));
    w.c0 =
        _mm512_ternarylogic_epi64(_mm512_srli_epi64(b, 32), w.c1, _mm512_set1_epi64(k0), three_xor);
    w.c2 =
        _mm512_ternarylogic_epi64(_mm512_srli_epi64(a, 32), w.c3, _mm512_set1_epi64(k1), three_xor);
    w.c1 = b;
    w.c3 = a;
}

/// uniform_float() of each word.
CATENA_AVX512 inline void store_floats(__m512i words, float* to) {
    _mm512_storeu_ps(to, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(words, 8)),
                                       _mm512_set1_ps(0x1p-24f)));
}

CATENA_AVX512 inline void store_words(const Words& w, float* to) {
    const __mmask16 upper_halves = 0xAAAA;
    const __m512i first = _mm512_mask_blend_epi32(upper_halves, w.c0, _mm512_slli_epi64(w.c1, 32));
    const __m512i second = _mm512_mask_blend_epi32(upper_halves, w.c2, _mm512_slli_epi64(w.c3, 32));
    store_floats(
        _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), second), to);
    store_floats(
        _mm512_permutex2var_epi64(first, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), second),
        to + 16);
}

CATENA_AVX512 void run(const RandomStream& stream, uint64_t first, float* to, int64_t counters) {
    for (int64_t i = 0; i < counters; i += 8 * side_by_side, to += 32 * side_by_side) {
        Words words[side_by_side];
        for (int v = 0; v < side_by_side; ++v) {
            const __m512i counter = _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                                     _mm512_set1_epi64(int64_t(first) + i + 8 * v));
            words[v] = {counter, _mm512_srli_epi64(counter, 32),
                        _mm512_set1_epi64(uint32_t(stream.operation)),
                        _mm512_set1_epi64(int64_t(stream.operation >> 32))};
        }
        uint32_t k0 = uint32_t(stream.seed), k1 = uint32_t(stream.seed >> 32);
        for (int round = 0; round < 10; ++round, k0 = next_k0(k0), k1 = next_k1(k1))
            for (Words& each : words) next_round(each, k0, k1);
        for (int v = 0; v < side_by_side; ++v) store_words(words[v], to + 32 * v);
    }
}

}  // namespace avx512

namespace avx2 {

/// A word of 4 counters, as above.
struct Words {
    __m256i c0, c1, c2, c3;
};

CATENA_AVX2_INLINE void next_round(Words& w, uint32_t k0, uint32_t k1) {
    const __m256i a = _mm256_mul_epu32(w.c0, _mm256_set1_epi64x(0xD2511F53u)),
                  b = _mm256_mul_epu32(w.c2, _mm256_set1_epi64x(0xCD9E8D57u));
    w.c0 =
        _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), w.c1), _mm256_set1_epi64x(k0));
    w.c2 =
        _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), w.c3), _mm256_set1_epi64x(k1));
    w.c1 = b;
    w.c3 = a;
}

CATENA_AVX2_INLINE void store_floats(__m256i words, float* to) {
    _mm256_storeu_ps(to, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(words, 8)),
                                       _mm256_set1_ps(0x1p-24f)));
}

CATENA_AVX2_INLINE void store_words(const Words& w, float* to) {
    constexpr int upper_halves = 0xAA;
    const __m256i first = _mm256_blend_epi32(w.c0, _mm256_slli_epi64(w.c1, 32), upper_halves);
    const __m256i second = _mm256_blend_epi32(w.c2, _mm256_slli_epi64(w.c3, 32), upper_halves);
    const __m256i even = _mm256_unpacklo_epi64(first, second),
                  odd = _mm256_unpackhi_epi64(first, second);
    store_floats(_mm256_permute2x128_si256(even, odd, 0x20), to);
    store_floats(_mm256_permute2x128_si256(even, odd, 0x31), to + 8);
}

CATENA_AVX2 void run(const RandomStream& stream, uint64_t first, float* to, int64_t counters) {
    for (int64_t i = 0; i < counters; i += 4 * side_by_side, to += 16 * side_by_side) {
        Words words[side_by_side];
        for (int v = 0; v < side_by_side; ++v) {
            const __m256i counter = _mm256_add_epi64(
                _mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(int64_t(first) + i + 4 * v));
            words[v] = {counter, _mm256_srli_epi64(counter, 32),
                        _mm256_set1_epi64x(uint32_t(stream.operation)),
                        _mm256_set1_epi64x(int64_t(stream.operation >> 32))};
        }
        uint32_t k0 = uint32_t(stream.seed), k1 = uint32_t(stream.seed >> 32);
        for (int round = 0; round < 10; ++round, k0 = next_k0(k0), k1 = next_k1(k1))
            for (Words& each : words) next_round(each, k0, k1);
        for (int v = 0; v < side_by_side; ++v) store_words(words[v], to + 16 * v);
    }
}

}  // namespace avx2

}  // namespace
}  // namespace philox_kernels

int64_t philox_lanes(const RandomStream& stream, uint64_t first, float* to, int64_t counters) {
    if (instruction_set() == InstructionSet::none) return 0;
    const int64_t done = counters / philox_kernels::at_once * philox_kernels::at_once;
    (has_avx512() ? philox_kernels::avx512::run : philox_kernels::avx2::run)(stream, first, to,
                                                                             done);
    return done;
}
#else
int64_t philox_lanes(const RandomStream&, uint64_t, float*, int64_t) { return 0; }
#endif

}  // namespace catena
