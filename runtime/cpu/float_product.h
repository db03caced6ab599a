#pragma once

#include <cstddef>
#include <span>

#include "runtime/core/array.h"

namespace catena {

/// y (+)= op(a) op(b) of float32 arrays of given shapes and strides, as matmul_arrays() says (runtime/cpu/gemm.h), again and
/// again. Any number of runs at a time.
class FloatProduct {
public:
    /// Whether an operand can be read without a copy; every row-major one can. `batch`: the axes of y before its last two.
    static bool reads(const Array& operand, bool transposed, const Shape& batch);

    /// Operands that can be read, and a row-major y with elements; only their shapes and strides count.
    FloatProduct(const Array& a, const Array& b, bool transa, bool transb, const Array& y);
    /// With `adds`, to what y holds. `scratch`: scratch_bytes(), or less, and then it comes from the pool.
    void run(const float* a, const float* b, float* y, bool adds, std::span<std::byte> scratch = {}) const;
    size_t scratch_bytes() const;

private:
    /// How sgemm reads an operand.
    struct Layout {
        bool transposed;
        int64_t stride;
        Strides batch_strides;
    };
    int64_t m_, n_, k_, count_;
    Shape batch_;
    Layout a_, b_;
};

/// Every row of y [n, m] becomes `row` [m]; both float32 and row-major.
void fill_rows(const Array& row, const Array& y);

}  // namespace catena
