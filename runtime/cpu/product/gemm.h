#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/core/array/array.h"

namespace catena {

/// Computes row-major c = alpha op(a) op(b) + beta c in float32; op(a) is m x k, op(b) is k x n,
/// op() transposes when its flag is set and `lda`... are the distances between stored rows. Sizes
/// may be 0. `scratch` has sgemm_scratch_bytes(); if it is smaller, memory is taken from the pool.
/// With `row` [n], for beta 0: that is added to every row. `columns`: b, transposed, as
/// runtime/cpu/product/kept/kept_columns.h stores it, or undefined.
void sgemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc,
           std::span<std::byte> scratch = {}, const float* row = nullptr,
           const Array& columns = {});
/// The most scratch memory that sgemm() uses, in bytes.
size_t sgemm_scratch_bytes(int64_t m, int64_t n, int64_t k);

/// Computes y (+)= op(a) op(b) over matrices in the last two axes, the axes before broadcast to
/// those of y. a and b may have any dtype and strides, and are converted to y's dtype first; y is
/// contiguous. 16-bit floats are summed in float32 (bfloat16 a and b as they are where the
/// processor can, runtime/cpu/product/bfloat16.h), integers wrap around, and for bool a product is
/// "and", a sum "or". With `accumulate` y is added to (float32 only).
void matmul_arrays(const Array& a, const Array& b, bool transa, bool transb, const Array& y,
                   bool accumulate = false);

}  // namespace catena
