#pragma once

#include <cstdint>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// Whether the processor multiplies bfloat16 numbers and adds the products in float32
/// (AVX512_BF16), and CATENA_BFLOAT16_PRODUCTS does not forbid it. Its instructions take denormal
/// numbers (below 1.2e-38) as 0.
bool has_bfloat16_products();

/// A row-major product c = op(a) op(b) of bfloat16 matrices: op(a) is m x k, op(b) k x n, op()
/// transposes when its flag is set, and `lda`... are the distances between stored rows. Sums are
/// float32, rounded once if c is bfloat16.
struct BFloat16Product {
    bool transa = false, transb = false;
    int64_t m = 0, n = 0, k = 0;
    const BFloat16* a = nullptr;
    int64_t lda = 0;
    const BFloat16* b = nullptr;
    int64_t ldb = 0;
    void* c = nullptr;
    int64_t ldc = 0;
    Dtype c_dtype = Dtype::bfloat16;  ///< The dtype of c: bfloat16 or float32.
};
/// Computes the product, where has_bfloat16_products(); the bits are equal on any number of
/// threads.
void multiply_bfloat16(const BFloat16Product& product);

}  // namespace catena
