#include "runtime/cpu/product/kept_rows.h"

#include <algorithm>
#include <array>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/product/gemm_rows.h"
#include "runtime/cpu/transpose_lanes.h"

namespace catena {

#if defined(__x86_64__)
namespace {

#define CATENA_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))

constexpr int64_t lanes = 16, most_rows = 8, most_vectors = 3;

/// sgemm_few_rows() has a sum for each lane, of every sixteenth product, and then adds neighbours, of these neighbours, and so on. In this
/// order of the lanes two sums are added as soon as both are there.
constexpr std::array<int, lanes> lane_at{0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15};

/// Rows of the kept form for each lane.
int64_t rows_of_lane(int64_t k) { return (k + lanes - 1) / lanes; }

/// Some rows of c and some vectors of its columns. The kept form is [vectors, lanes in order, rows_of_lane(k), lanes].
struct Block {
    const float* a;
    int64_t lda;
    const float* b;
    int64_t vector;  ///< From a vector of columns to the next.
    int64_t k;
    float beta;
    float* c;
    int64_t ldc;
    __mmask16 last;  ///< Which lanes of the last vector are columns.
};

template <int rows, int vectors>
using Sums = __m512[rows][vectors];

/// The products of one lane.
template <int rows, int vectors>
CATENA_AVX512 inline __attribute__((always_inline)) void sum_lane(const Block& t, int at, Sums<rows, vectors>& sum) {
    const int lane = lane_at[size_t(at)];
    const int64_t rest = t.k % lanes;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_setzero_ps();
    const float *upper = t.a + lane, *lower = upper + (rows > 4 ? 4 * t.lda : 0), *b = t.b + at * rows_of_lane(t.k) * lanes;
    const float* const end = b + (t.k / lanes + (lane < rest)) * lanes;
#pragma GCC unroll 1
    for (; b < end; b += lanes, upper += lanes, lower += lanes) {
        __m512 row[vectors];
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) row[j] = _mm512_load_ps(b + j * t.vector);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            const __m512 a = _mm512_set1_ps(i < 4 ? upper[i * t.lda] : lower[(i - 4) * t.lda]);
#pragma GCC unroll 3
            for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_fmadd_ps(a, row[j], sum[i][j]);
        }
    }
    if (lane >= rest && rest > 0)  // There the other adds a product of zeros, which makes 0 of -0.
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
            for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_add_ps(sum[i][j], _mm512_setzero_ps());
}

template <int rows, int vectors>
CATENA_AVX512 void multiply_block(const Block& t) {
    __m512 waiting[4][rows][vectors];  // Sums of 1, 2, 4 and 8 lanes.
    Sums<rows, vectors> sum;
    for (int at = 0; at < lanes; ++at) {
        sum_lane<rows, vectors>(t, at, sum);
        int level = 0;
        for (; (at >> level) & 1; ++level)
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
                for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_add_ps(waiting[level][i][j], sum[i][j]);
        if (level < 4)
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
                for (int j = 0; j < vectors; ++j) waiting[level][i][j] = sum[i][j];
    }
    const __m512 beta = _mm512_set1_ps(t.beta);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 3
        for (int j = 0; j < vectors; ++j) {
            const __mmask16 there = j + 1 < vectors ? __mmask16(0xffff) : t.last;
            float* const c = t.c + i * t.ldc + j * lanes;
            const __m512 value = t.beta == 0 ? sum[i][j] : _mm512_fmadd_ps(beta, _mm512_maskz_loadu_ps(there, c), sum[i][j]);
            _mm512_mask_storeu_ps(c, there, value);
        }
}

template <int vectors>
void multiply_rows(const Block& t, int64_t rows) {
    switch (rows) {
        case 1: return multiply_block<1, vectors>(t);
        case 2: return multiply_block<2, vectors>(t);
        case 3: return multiply_block<3, vectors>(t);
        case 4: return multiply_block<4, vectors>(t);
        case 5: return multiply_block<5, vectors>(t);
        case 6: return multiply_block<6, vectors>(t);
        case 7: return multiply_block<7, vectors>(t);
        case 8: return multiply_block<8, vectors>(t);
    }
    CATENA_ASSERT(false, "a block has up to eight rows");
}

/// Vector `index` of the columns of b^T.
CATENA_AVX512 void turn(const float* b, int64_t n, int64_t k, int64_t index, float* to) {
    const int64_t first = index * lanes, count = rows_of_lane(k);
    alignas(64) float block[lanes * lanes];
    for (int64_t q = 0; q < count; ++q) {
        const auto there = uint16_t((1u << std::min(lanes, k - q * lanes)) - 1);
        transpose_lanes(b + first * k + q * lanes, k, std::min(lanes, n - first), there, block, lanes);
        for (int64_t at = 0; at < lanes; ++at)
            _mm512_store_ps(to + (at * count + q) * lanes, _mm512_load_ps(block + lane_at[size_t(at)] * lanes));
    }
}

}  // namespace

bool are_kept_rows_faster(int64_t m, int64_t n, int64_t k) {
    return m >= 4 && m <= 64 && n >= 64 && n * k >= 40'000 && has_few_rows(m, n, k);  // Few numbers are multiplied in no time.
}

Shape kept_rows_shape(int64_t n, int64_t k) { return {(n + lanes - 1) / lanes, lanes * rows_of_lane(k), lanes}; }

void turn_into_rows(const float* b, int64_t n, int64_t k, float* kept) {
    const int64_t vector = lanes * rows_of_lane(k) * lanes;
    parallel_for((n + lanes - 1) / lanes, 1 + 30'000 / vector, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) turn(b, n, k, i, kept + i * vector);
    });
}

void sgemm_kept_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const Array& kept, float beta, float* c, int64_t ldc) {
    const int64_t all = kept.dim(0), vector = kept.dim(1) * lanes, blocks = (m + most_rows - 1) / most_rows;
    const float* const b = kept.elements<float>();
    parallel_for(all, 1 + 400'000 / (m * k * lanes), [&](int64_t begin, int64_t end) {
        for (int64_t vectors; begin < end; begin += vectors) {
            const int64_t left = end - begin, first = begin * lanes;
            vectors = left == 4 ? 2 : std::min(left, most_vectors);
            const int64_t in_last = std::min(lanes, n - first - (vectors - 1) * lanes);
            for (int64_t block = 0; block < blocks; ++block) {
                const int64_t i = m * block / blocks, rows = m * (block + 1) / blocks - i;
                const Block t{.a = a + i * lda, .lda = lda, .b = b + begin * vector, .vector = vector, .k = k, .beta = beta,
                              .c = c + i * ldc + first, .ldc = ldc, .last = __mmask16((1u << in_last) - 1)};
                vectors == 3 ? multiply_rows<3>(t, rows) : vectors == 2 ? multiply_rows<2>(t, rows) : multiply_rows<1>(t, rows);
            }
        }
    });
}

#else

bool are_kept_rows_faster(int64_t, int64_t, int64_t) { return false; }
Shape kept_rows_shape(int64_t, int64_t) { return {}; }
void turn_into_rows(const float*, int64_t, int64_t, float*) { CATENA_ASSERT(false, "this processor has no vectors of 64 bytes"); }
void sgemm_kept_rows(int64_t, int64_t, int64_t, const float*, int64_t, const Array&, float, float*, int64_t) {
    CATENA_ASSERT(false, "this processor has no vectors of 64 bytes");
}

#endif

}  // namespace catena
