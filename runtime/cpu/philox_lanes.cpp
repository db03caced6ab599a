#include "runtime/cpu/philox_lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace catena {

#if defined(__x86_64__)
namespace {

#define CATENA_AVX512 __attribute__((target("avx512f")))

/// So many vectors of 8 counters side by side, because each product waits for the one before.
constexpr int side_by_side = 4;

/// A word of 8 counters, each in the lower half of 64 bits, which is what a product reads; the upper halves hold anything.
struct Words {
    __m512i c0, c1, c2, c3;
};

CATENA_AVX512 inline void next_round(Words& w, uint32_t k0, uint32_t k1) {
    constexpr int three_xor = 0x96;
    const __m512i a = _mm512_mul_epu32(w.c0, _mm512_set1_epi64(0xD2511F53u)), b = _mm512_mul_epu32(w.c2, _mm512_set1_epi64(0xCD9E8D57u));
    w.c0 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(b, 32), w.c1, _mm512_set1_epi64(k0), three_xor);
    w.c2 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(a, 32), w.c3, _mm512_set1_epi64(k1), three_xor);
    w.c1 = b;
    w.c3 = a;
}

/// uniform_float() of each word.
CATENA_AVX512 inline void store_floats(__m512i words, float* to) {
    _mm512_storeu_ps(to, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(words, 8)), _mm512_set1_ps(0x1p-24f)));
}

CATENA_AVX512 inline void store_words(const Words& w, float* to) {
    const __mmask16 upper_halves = 0xAAAA;
    const __m512i first = _mm512_mask_blend_epi32(upper_halves, w.c0, _mm512_slli_epi64(w.c1, 32));
    const __m512i second = _mm512_mask_blend_epi32(upper_halves, w.c2, _mm512_slli_epi64(w.c3, 32));
    store_floats(_mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), second), to);
    store_floats(_mm512_permutex2var_epi64(first, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), second), to + 16);
}

CATENA_AVX512 void run(const RandomStream& stream, uint64_t first, float* to, int64_t counters) {
    for (int64_t i = 0; i < counters; i += 8 * side_by_side, to += 32 * side_by_side) {
        Words words[side_by_side];
        for (int v = 0; v < side_by_side; ++v) {
            const __m512i counter = _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(int64_t(first) + i + 8 * v));
            words[v] = {counter, _mm512_srli_epi64(counter, 32), _mm512_set1_epi64(uint32_t(stream.operation)),
                        _mm512_set1_epi64(int64_t(stream.operation >> 32))};
        }
        uint32_t k0 = uint32_t(stream.seed), k1 = uint32_t(stream.seed >> 32);
        for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
            for (Words& each : words) next_round(each, k0, k1);
        for (int v = 0; v < side_by_side; ++v) store_words(words[v], to + 32 * v);
    }
}

}  // namespace

int64_t philox_lanes(const RandomStream& stream, uint64_t first, float* to, int64_t counters) {
    static const bool able = __builtin_cpu_supports("avx512f");
    if (!able) return 0;
    const int64_t done = counters / (8 * side_by_side) * (8 * side_by_side);
    run(stream, first, to, done);
    return done;
}
#else
int64_t philox_lanes(const RandomStream&, uint64_t, float*, int64_t) { return 0; }
#endif

}  // namespace catena
