#pragma once

#include <cstdint>

namespace catena {

/// Whether a product has so few rows that packing b would cost more than multiplying, and the
/// processor can multiply without it.
bool has_few_rows(int64_t m, int64_t n, int64_t k);

/// Computes row-major c = a b^T + beta c for few rows of a. False unless has_few_rows().
bool sgemm_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                    int64_t ldb, float beta, float* c, int64_t ldc);

/// Computes it as sgemm_few_rows(), but on the calling thread, for any sizes, on a processor with
/// AVX2 or AVX-512.
void multiply_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                       int64_t ldb, float beta, float* c, int64_t ldc);

}  // namespace catena
