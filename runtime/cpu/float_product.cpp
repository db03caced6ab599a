#include "runtime/cpu/float_product.h"

#include <algorithm>

#include "runtime/core/parallel.h"
#include "runtime/cpu/gemm.h"
#include "runtime/cpu/matrices.h"

namespace catena {
namespace {

/// Batches of matrices smaller than this are divided among threads by matrix.
constexpr int64_t large_matrix = 8'000'000;

/// What sgemm can read without a copy: one unit stride, the other at least as long as a row.
bool find_layout(const Matrices& m, bool& transposed, int64_t& stride) {
    if (m.column_stride == 1 || m.columns <= 1) {
        transposed = false;
        stride = m.rows <= 1 ? m.columns : m.row_stride;
        if (stride >= std::max<int64_t>(m.columns, 1)) return true;
    }
    if (m.row_stride == 1 || m.rows <= 1) {
        transposed = true;
        stride = m.columns <= 1 ? m.rows : m.column_stride;
        if (stride >= std::max<int64_t>(m.rows, 1)) return true;
    }
    return false;
}

}  // namespace

bool FloatProduct::reads(const Array& operand, bool transposed, const Shape& batch) {
    bool flag;
    int64_t stride;
    return operand.contiguous() || find_layout(matrices_of(operand, transposed, batch), flag, stride);
}

FloatProduct::FloatProduct(const Array& a, const Array& b, bool transa, bool transb, const Array& y) : batch_(batch_of(y)) {
    const Matrices ma = matrices_of(a, transa, batch_), mb = matrices_of(b, transb, batch_);
    const auto layout = [](const Matrices& m) {
        Layout found{false, 0, m.batch_strides};
        // A broadcast view is flagged by its strides, never by its layout: without one, there is nothing to read.
        if (!find_layout(m, found.transposed, found.stride)) found = {false, std::max<int64_t>(m.columns, 1), m.batch_strides};
        return found;
    };
    m_ = ma.rows, n_ = mb.columns, k_ = ma.columns, count_ = element_count(batch_);
    a_ = layout(ma);
    b_ = layout(mb);
}

size_t FloatProduct::scratch_bytes() const { return sgemm_scratch_bytes(m_, n_, k_); }

void FloatProduct::run(const float* a, const float* b, float* y, bool adds, std::span<std::byte> scratch) const {
    const auto one = [&](int64_t i, std::span<std::byte> memory) {
        sgemm(a_.transposed, b_.transposed, m_, n_, k_, 1, a + batch_offset(batch_, a_.batch_strides, i), a_.stride,
              b + batch_offset(batch_, b_.batch_strides, i), b_.stride, adds ? 1 : 0, y + i * m_ * n_, n_, memory);
    };
    const int64_t work = m_ * n_ * k_;
    if (count_ < 2 * thread_count() || work >= large_matrix) {
        for (int64_t i = 0; i < count_; ++i) one(i, scratch);
        return;
    }
    parallel_for(count_, 1 + 500'000 / std::max<int64_t>(work, 1), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) one(i, {});
    });
}

void fill_rows(const Array& row, const Array& y) {
    const int64_t rows = y.dim(0), columns = y.dim(1);
    const float* from = row.elements<float>();
    float* to = y.to_fill<float>();
    for (int64_t i = 0; i < rows; ++i) std::copy_n(from, columns, to + i * columns);
}

}  // namespace catena
