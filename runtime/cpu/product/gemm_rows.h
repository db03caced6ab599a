#pragma once

#include <cstdint>

namespace catena {

/// Whether packing b would cost more than multiplying, and the processor can do without.
bool has_few_rows(int64_t m, int64_t n, int64_t k);

/// Row-major c = a b^T + beta c for few rows of a. False unless has_few_rows().
bool sgemm_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                    int64_t ldb, float beta, float* c, int64_t ldc);

/// The same on the calling thread, for any sizes, on a processor with AVX2 or AVX-512.
void multiply_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                       int64_t ldb, float beta, float* c, int64_t ldc);

}  // namespace catena
