#include "runtime/cpu/product/small_product.h"

#include <algorithm>

#include "runtime/core/error.h"
#include "runtime/cpu/product/gemm_rows.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace catena {

#if defined(__x86_64__)
namespace {

#define CATENA_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))

/// c (+)= a b; a(i, p) is a[i ai + p ap], and b's columns are neighbours, as c's are.
struct Lanes {
    int64_t m, n, k;
    const float* a;
    int64_t ai, ap;
    const float* b;
    int64_t bp;
    bool adds;
    float* c;
    int64_t ci;
};

/// `rows` rows of c in `vectors` of sixteen columns, of which the last has `last` lanes.
template <int rows, int vectors>
CATENA_AVX512 inline void multiply_block(const Lanes& p, int64_t i, int64_t j, __mmask16 last) {
    const __mmask16 all = 0xffff;
    __m512 sum[rows][vectors];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            sum[r][v] = p.adds ? _mm512_maskz_loadu_ps(v + 1 < vectors ? all : last, p.c + (i + r) * p.ci + j + 16 * v) : _mm512_setzero_ps();
    const float* a = p.a + i * p.ai;
    const float* b = p.b + j;
    for (int64_t q = 0; q < p.k; ++q, a += p.ap, b += p.bp) {
        __m512 row[vectors];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) row[v] = _mm512_maskz_loadu_ps(v + 1 < vectors ? all : last, b + 16 * v);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(a[r * p.ai]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; ++v) sum[r][v] = _mm512_fmadd_ps(factor, row[v], sum[r][v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            _mm512_mask_storeu_ps(p.c + (i + r) * p.ci + j + 16 * v, v + 1 < vectors ? all : last, sum[r][v]);
}

template <int vectors>
CATENA_AVX512 void multiply_columns(const Lanes& p, int64_t j, __mmask16 last) {
    int64_t i = 0;
    for (; i + 4 <= p.m; i += 4) multiply_block<4, vectors>(p, i, j, last);
    for (; i < p.m; ++i) multiply_block<1, vectors>(p, i, j, last);
}

CATENA_AVX512 void multiply(const Lanes& p) {
    for (int64_t j = 0; j < p.n; j += 64) {
        const int64_t columns = std::min<int64_t>(64, p.n - j), rest = columns % 16;
        const __mmask16 last = rest ? __mmask16((1u << rest) - 1) : __mmask16(0xffff);
        switch ((columns + 15) / 16) {
            case 1: multiply_columns<1>(p, j, last); break;
            case 2: multiply_columns<2>(p, j, last); break;
            case 3: multiply_columns<3>(p, j, last); break;
            default: multiply_columns<4>(p, j, last);
        }
    }
}

/// How a product is computed.
enum class Loops {
    none,
    columns,       ///< Sixteen columns of c side by side.
    rows,          ///< The same of c = a b with a vector b: its rows.
    sums,          ///< Sixteen terms of a sum side by side.
    sums_of_rows,  ///< The same with a vector b.
};

Loops loops_of(const TileProduct& p) {
    if (p.n > 1) {
        if (!p.transb || p.ldb == 1) return Loops::columns;
        return !p.transa && p.k > 1 ? Loops::sums : Loops::none;
    }
    if (p.ldc != 1) return Loops::none;
    if (!p.transa && p.k > 1) return p.transb || p.ldb == 1 ? Loops::sums_of_rows : Loops::none;
    return p.transa || p.lda == 1 ? Loops::rows : Loops::none;
}

}  // namespace

bool is_small_product(const TileProduct& p) {
    if (!has_product_tiles() || p.k == 0 || (p.plus && p.plus != p.c)) return false;
    const Loops loops = loops_of(p);
    // A library reads larger matrices faster: sums of many rows side by side read from many places.
    const bool is_of_sums = loops == Loops::sums || loops == Loops::sums_of_rows;
    const int64_t most = is_of_sums ? 2048 : loops == Loops::rows ? 4096 : 8192;
    return loops != Loops::none && p.m * p.n * p.k <= most;
}

void multiply_small(const TileProduct& p) {
    const int64_t ai = p.transa ? 1 : p.lda, ap = p.transa ? p.lda : 1, bp = p.transb ? 1 : p.ldb;
    const float beta = p.plus ? 1 : 0;
    switch (loops_of(p)) {
        case Loops::columns:
            return multiply({.m = p.m, .n = p.n, .k = p.k, .a = p.a, .ai = ai, .ap = ap, .b = p.b, .bp = bp, .adds = p.plus != nullptr, .c = p.c, .ci = p.ldc});
        case Loops::rows:
            return multiply({.m = 1, .n = p.m, .k = p.k, .a = p.b, .ai = 0, .ap = bp, .b = p.a, .bp = ap, .adds = p.plus != nullptr, .c = p.c, .ci = 0});
        case Loops::sums: return multiply_few_rows(p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, beta, p.c, p.ldc);
        case Loops::sums_of_rows: return multiply_few_rows(1, p.m, p.k, p.b, 0, p.a, p.lda, beta, p.c, 0);
        case Loops::none: break;
    }
    CATENA_ASSERT(false, "this product is not small");
}

#else

bool is_small_product(const TileProduct&) { return false; }
void multiply_small(const TileProduct&) { CATENA_ASSERT(false, "this processor has no loops for small products"); }

#endif

}  // namespace catena
