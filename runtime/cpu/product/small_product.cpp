#include "runtime/cpu/product/small_product.h"

#include <algorithm>

#include "runtime/core/simd/instruction_set.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/product/rows/gemm_rows.h"
#include "runtime/cpu/product/small_product_avx2.h"
#include "runtime/cpu/product/small_product_avx512.h"

namespace catena {

#if defined(__x86_64__)
namespace {

void multiply(const SmallProduct& p) { has_avx512() ? avx512::multiply(p) : avx2::multiply(p); }

/// How a product is computed.
enum class Loops {
    none,
    columns,       ///< Sixteen columns of c side by side.
    rows,          ///< The rows of c = a b with a vector b.
    sums,          ///< Sixteen terms of a sum side by side.
    sums_of_rows,  ///< The sums of rows with a vector b.
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
            return multiply({.m = p.m,
                             .n = p.n,
                             .k = p.k,
                             .a = p.a,
                             .ai = ai,
                             .ap = ap,
                             .b = p.b,
                             .bp = bp,
                             .adds = p.plus != nullptr,
                             .c = p.c,
                             .ci = p.ldc});
        case Loops::rows:
            return multiply({.m = 1,
                             .n = p.m,
                             .k = p.k,
                             .a = p.b,
                             .ai = 0,
                             .ap = bp,
                             .b = p.a,
                             .bp = ap,
                             .adds = p.plus != nullptr,
                             .c = p.c,
                             .ci = 0});
        case Loops::sums:
            return multiply_few_rows(p.m, p.n, p.k, p.a, p.lda, p.b, p.ldb, beta, p.c, p.ldc);
        case Loops::sums_of_rows:
            return multiply_few_rows(1, p.m, p.k, p.b, 0, p.a, p.lda, beta, p.c, 0);
        case Loops::none:
            break;
    }
    CATENA_ASSERT(false, "this product is not small");
}

#else

bool is_small_product(const TileProduct&) { return false; }
void multiply_small(const TileProduct&) {
    CATENA_ASSERT(false, "this processor has no loops for small products");
}

#endif

}  // namespace catena
