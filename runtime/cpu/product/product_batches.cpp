#include "runtime/cpu/product/product_batches.h"

#include <algorithm>

namespace catena {
namespace {

/// What can be read without a copy: one unit stride, the other at least as long as a row.
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

ProductBatches::Operand operand(const Matrices& m) {
    ProductBatches::Operand found{false, 0, m.batch_strides};
    // A broadcast view is flagged by its strides, never by its layout: without one, there is
    // nothing to read.
    if (!find_layout(m, found.transposed, found.stride))
        found = {false, std::max<int64_t>(m.columns, 1), m.batch_strides};
    return found;
}

}  // namespace

bool ProductBatches::reads(const Array& operand, bool transposed, const Shape& batch) {
    bool flag;
    int64_t stride;
    return operand.contiguous() ||
           find_layout(matrices_of(operand, transposed, batch), flag, stride);
}

ProductBatches::ProductBatches(const Array& from, const Array& by, bool transa, bool transb,
                               const Array& y)
    : batch_(batch_of(y)), count_(element_count(batch_)) {
    const Matrices ma = matrices_of(from, transa, batch_), mb = matrices_of(by, transb, batch_);
    m = ma.rows, n = mb.columns, k = ma.columns;
    a = operand(ma);
    b = operand(mb);
}

}  // namespace catena
