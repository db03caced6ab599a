#include "runtime/program/kernel_program.h"

#include <algorithm>

namespace catena::program {

const char* name_of(Register r) {
    constexpr const char* names[] = {"truth", "i64", "f32", "f64"};
    return names[int(r)];
}

Register natural_register(Dtype dtype) {
    if (dtype == Dtype::bool_) return Register::truth;
    if (is_integer(dtype)) return Register::i64;
    return dtype == Dtype::float64 ? Register::f64 : Register::f32;
}

int KernelProgram::add(KernelValue value) {
    auto found = std::find(values.begin(), values.end(), value);
    if (found != values.end()) return int(found - values.begin());
    values.push_back(std::move(value));
    return int(values.size()) - 1;
}

KernelShape shape_of(const KernelProgram& program) {
    KernelShape shape;
    int inner = program.domain.rank() - 1;
    shape.lanes_reduced = program.is_reduced(inner);
    for (int dim = 0; dim < inner; ++dim)
        if (!program.is_reduced(dim) && !program.is_serial(dim)) shape.units *= program.domain[dim];
    if (shape.lanes_reduced) return shape;
    shape.block = program.reduced ? 256 : 1024;
    shape.blocks = (program.domain[inner] + shape.block - 1) / shape.block;
    shape.units *= shape.blocks;
    return shape;
}

StrideClass stride_class(const KernelProgram& program, const KernelOperand& operand, int dim) {
    if (operand.strides[dim] == 0) return StrideClass::zero;
    bool inner = dim == program.domain.rank() - 1;
    return inner && operand.strides[dim] == 1 ? StrideClass::one : StrideClass::general;
}

int64_t row_scratch_stride(const KernelProgram& program) {
    return (program.domain[program.domain.rank() - 1] * 8 + 64 + 63) / 64 * 64;
}

}  // namespace catena::program
