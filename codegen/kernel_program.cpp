#include "codegen/kernel_program.h"

#include <algorithm>

namespace catena::codegen {

namespace {

template <class F>
void for_each_operand(KernelProgram& program, F&& f) {
    for (KernelOperand& input : program.inputs) f(input);
    for (KernelProgram::Output& output : program.outputs) f(output.to);
}

void drop_dimension(KernelProgram& program, int dim) {
    program.domain.erase(dim);
    for_each_operand(program, [&](KernelOperand& o) { o.strides.erase(dim); });
    uint32_t below = program.reduced & ((1u << dim) - 1);
    program.reduced = below | (program.reduced >> (dim + 1) << dim);
}

/// Whether dimensions `dim` and `dim + 1` can be merged.
bool mergeable(KernelProgram& program, int dim) {
    if (program.is_reduced(dim) != program.is_reduced(dim + 1)) return false;
    bool fits = true;
    for_each_operand(program, [&](KernelOperand& o) {
        fits &= o.strides[dim] == o.strides[dim + 1] * program.domain[dim + 1];
    });
    return fits;
}

}  // namespace

KernelProgram collapse(const KernelProgram& original) {
    KernelProgram program = original;
    for (int dim = program.domain.rank() - 1; dim >= 0; --dim)
        if (program.domain[dim] == 1 && program.domain.rank() > 1) drop_dimension(program, dim);
    for (int dim = program.domain.rank() - 2; dim >= 0; --dim) {
        if (!mergeable(program, dim)) continue;
        program.domain[dim + 1] *= program.domain[dim];
        drop_dimension(program, dim);
    }
    if (program.domain.empty()) {
        program.domain.push_back(1);
        for_each_operand(program, [](KernelOperand& o) { o.strides.push_back(0); });
    }
    // A lone dimension of size 1 is no loop: nothing varies along it.
    if (program.domain.rank() == 1 && program.domain[0] == 1) {
        program.reduced = 0;
        for_each_operand(program, [](KernelOperand& o) { o.strides[0] = 0; });
    }
    return program;
}

}  // namespace catena::codegen
