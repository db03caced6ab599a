#include "runtime/program/schedule/kernel_geometry.h"

namespace catena::program {

const KernelOperand& KernelGeometry::operand(int o) const {
    const int count = int(inputs.size());
    return o < count ? inputs[size_t(o)] : outputs[size_t(o - count)];
}

KernelShape shape_of(const KernelGeometry& geometry) {
    KernelShape shape;
    const int inner = geometry.inner();
    shape.lanes_reduced = geometry.is_reduced(inner);
    for (int dim = 0; dim < inner; ++dim)
        if (!geometry.is_reduced(dim) && !geometry.is_serial(dim))
            shape.units *= geometry.domain[dim];
    if (shape.lanes_reduced) return shape;
    shape.block = geometry.reduced ? 256 : 1024;
    shape.blocks = (geometry.domain[inner] + shape.block - 1) / shape.block;
    shape.units *= shape.blocks;
    return shape;
}

StrideClass stride_class(const KernelGeometry& geometry, const KernelOperand& operand, int dim) {
    if (operand.strides[dim] == 0) return StrideClass::zero;
    return dim == geometry.inner() && operand.strides[dim] == 1 ? StrideClass::one
                                                                : StrideClass::general;
}

std::vector<StrideRead> strides_read(const KernelGeometry& geometry) {
    std::vector<StrideRead> read;
    for (int o = 0; o < geometry.operand_count(); ++o)
        for (int dim = 0; dim < geometry.domain.rank(); ++dim)
            if (stride_class(geometry, geometry.operand(o), dim) == StrideClass::general)
                read.push_back({o, dim});
    return read;
}

int64_t row_scratch_stride(const KernelGeometry& geometry) {
    return (geometry.domain[geometry.inner()] * 8 + 64 + 63) / 64 * 64;
}

}  // namespace catena::program
