#include "runtime/cpu/product/rows/gemm_rows.h"

#include <algorithm>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/rows/few_rows_avx2.h"
#include "runtime/cpu/product/rows/few_rows_avx512.h"
#include "runtime/cpu/machine.h"

namespace catena {

#if defined(__x86_64__)
namespace {

/// Sizes where not packing b is faster (measured against oneDNN 2.6): 20 x 2600 x 650 takes half
/// the time with AVX-512, a single row takes half to four fifths of the time
/// (benchmarks/few_rows.cpp); two and three rows take the same. With AVX2 four rows take four
/// fifths, 20 rows more.
bool worth_it(int64_t m, int64_t n, int64_t k) {
    const int64_t most_rows = has_avx512() ? 64 : 10;
    return (m == 1 || (m >= 4 && (m <= most_rows || n <= 16))) && n >= 4 && k >= 80;
}

/// Rows of b that stay in the first-level cache while rows of a pass.
constexpr int64_t b_block = 8;

/// Rows of a block.
constexpr int64_t most_rows = avx512::most_block_rows;
static_assert(b_block == avx512::row_block);

void multiply_columns(int64_t m, int64_t begin, int64_t end, int64_t k, const float* a, int64_t lda,
                      const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
    const auto multiply_row = has_avx512() ? avx512::multiply_row : avx2::multiply_row;
    const auto multiply_rows = has_avx512() ? avx512::multiply_rows : avx2::multiply_rows;
    if (m == 1)
        for (; begin + b_block <= end; begin += b_block)
            multiply_row(a, b + begin * ldb, ldb, k, beta, c + begin);
    const int64_t blocks = (m + most_rows - 1) / most_rows;
    for (int64_t j0 = begin; j0 < end; j0 += b_block)
        for (int64_t block = 0; block < blocks; ++block) {
            const int64_t i = m * block / blocks, rows = m * (block + 1) / blocks - i;
            for (int64_t j = j0; j < std::min(end, j0 + b_block); j += 4)
                multiply_rows(rows, a + i * lda, lda, b + j * ldb, ldb, k,
                              std::min<int64_t>(4, end - j), beta, c + i * ldc + j, ldc);
        }
}

}  // namespace

bool has_few_rows(int64_t m, int64_t n, int64_t k) {
    return instruction_set() != InstructionSet::none && worth_it(m, n, k);
}

bool sgemm_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                    int64_t ldb, float beta, float* c, int64_t ldc) {
    if (!has_few_rows(m, n, k)) return false;
    int64_t blocks = (n + b_block - 1) / b_block;
    parallel_for(blocks, machine::grain_of_products(m * k * b_block / 2),
                 [&](int64_t begin, int64_t end) {
                     multiply_columns(m, begin * b_block, std::min(n, end * b_block), k, a, lda, b,
                                      ldb, beta, c, ldc);
                 });
    return true;
}

void multiply_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                       int64_t ldb, float beta, float* c, int64_t ldc) {
    multiply_columns(m, 0, n, k, a, lda, b, ldb, beta, c, ldc);
}

#else

bool has_few_rows(int64_t, int64_t, int64_t) { return false; }

bool sgemm_few_rows(int64_t, int64_t, int64_t, const float*, int64_t, const float*, int64_t, float,
                    float*, int64_t) {
    return false;
}

#endif

}  // namespace catena
