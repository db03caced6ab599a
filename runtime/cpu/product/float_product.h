#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/cpu/product/kept/kept_matrix.h"
#include "runtime/cpu/product/product_batches.h"

namespace catena {

/// A product y (+)= op(a) op(b) of float32 arrays of given shapes and strides, as matmul_arrays()
/// (runtime/cpu/product/gemm.h), computed again and again. Any number of runs at a time.
class FloatProduct {
public:
    /// Prepares it for operands that ProductBatches::reads(), and a row-major y with elements; only
    /// their shapes and strides matter.
    FloatProduct(const Array& a, const Array& b, bool transa, bool transb, const Array& y);
    /// Computes y. With `adds`, the product is added to y's content; else with `row`, of y's last
    /// axis, to that row. `scratch` has scratch_bytes(); if it is smaller, memory is taken from the
    /// pool.
    void run(const float* a, const Array& b, float* y, bool adds, std::span<std::byte> scratch = {},
             const float* row = nullptr) const;
    size_t scratch_bytes() const;

private:
    ProductBatches batches_;
    /// Whether the loops of runtime/cpu/product/small_product.h compute it.
    bool is_small_ = false;
    std::shared_ptr<const KeptMatrix> keeps_;  ///< The form in which b is cached; null: it is not.
};

/// Fills every row of y [n, m] with `row` [m]; both are float32 and row-major.
void fill_rows(const Array& row, const Array& y);

}  // namespace catena
