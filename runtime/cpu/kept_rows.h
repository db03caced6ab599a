#pragma once

#include <cstdint>

#include "runtime/core/array.h"

namespace catena {

// Products of few rows with the same matrix, as the steps of a loop over time and inference in small batches make: from the fifth use without
// a change on, the matrix is kept in an order in which no sum runs across the lanes of a vector. The bits are those of sgemm_few_rows().

/// b [n, k], float32 and without gaps, for products with `m` rows; undefined where that is not faster, or not kept yet (runtime/cpu/packed.h).
Array kept_rows(const Array& b, int64_t m, int64_t n, int64_t k);

/// Row-major c = a b^T + beta c of what kept_rows() gave.
void sgemm_kept_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const Array& kept, float beta, float* c, int64_t ldc);

}  // namespace catena
