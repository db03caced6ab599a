#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena {

// Products of few rows with the same matrix, as the steps of a loop over time and inference in
// small batches make: the matrix is kept (runtime/cpu/product/kept/kept_matrix.h) in an order in
// which no sum runs across the lanes of a vector. The bits are those of sgemm_few_rows().

/// Whether a cached b is faster for c = a b^T, [m, k] times [n, k], and the processor supports it.
bool are_kept_rows_faster(int64_t m, int64_t n, int64_t k);

/// The shape of the cached form of b [n, k].
Shape kept_rows_shape(int64_t n, int64_t k);
void turn_into_rows(const float* b, int64_t n, int64_t k, float* kept);

/// Computes row-major c = a b^T + beta c from the cached form of b.
void sgemm_kept_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
                     const Array& kept, float beta, float* c, int64_t ldc);

}  // namespace catena
