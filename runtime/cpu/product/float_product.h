#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/cpu/product/kept_matrix.h"
#include "runtime/cpu/product/product_batches.h"

namespace catena {

/// y (+)= op(a) op(b) of float32 arrays of given shapes and strides, as matmul_arrays() says
/// (runtime/cpu/product/gemm.h), again and again. Any number of runs at a time.
class FloatProduct {
public:
    /// Operands that ProductBatches::reads(), and a row-major y with elements; only their shapes
    /// and strides count.
    FloatProduct(const Array& a, const Array& b, bool transa, bool transb, const Array& y);
    /// With `adds`, to what y holds; else with `row`, of y's last axis, to that. `scratch`:
    /// scratch_bytes(), or less, and then it comes from the pool.
    void run(const float* a, const Array& b, float* y, bool adds, std::span<std::byte> scratch = {},
             const float* row = nullptr) const;
    size_t scratch_bytes() const;

private:
    ProductBatches batches_;
    bool is_small_ = false;  ///< For the loops of runtime/cpu/product/small_product.h.
    std::shared_ptr<const KeptMatrix> keeps_;  ///< Null: b is not kept.
};

/// Every row of y [n, m] becomes `row` [m]; both float32 and row-major.
void fill_rows(const Array& row, const Array& y);

}  // namespace catena
