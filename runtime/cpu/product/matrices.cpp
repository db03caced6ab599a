#include "runtime/cpu/product/matrices.h"

#include <algorithm>

namespace catena {

Matrices matrices_of(const Array& array, bool transposed, const Shape& batch) {
    int rank = array.rank();
    Matrices m{array,
               array.dim(rank - 2),
               array.dim(rank - 1),
               array.strides()[rank - 2],
               array.strides()[rank - 1],
               Strides::filled(batch.rank(), 0)};
    if (transposed) {
        std::swap(m.rows, m.columns);
        std::swap(m.row_stride, m.column_stride);
    }
    int lead = batch.rank() - (rank - 2);
    for (int i = 0; i < rank - 2; ++i)
        if (array.dim(i) != 1) m.batch_strides[lead + i] = array.strides()[i];
    return m;
}

Shape batch_of(const Array& y) { return Shape(std::span(y.shape().begin(), size_t(y.rank() - 2))); }

int64_t batch_offset(const Shape& batch, const Strides& strides, int64_t index) {
    int64_t offset = 0;
    for (int i = batch.rank() - 1; i >= 0; --i) {
        offset += index % batch[i] * strides[i];
        index /= batch[i];
    }
    return offset;
}

}  // namespace catena
