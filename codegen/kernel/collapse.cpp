#include "codegen/kernel/plan.h"

#include <algorithm>

#include "runtime/core/memory_order.h"

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

/// The same walk with dimension order[d] as dimension d.
void reorder(KernelProgram& program, const Dims& order) {
    const auto permuted = [&](const Dims& dims) {
        Dims result;
        for (int64_t dim : order) result.push_back(dims[int(dim)]);
        return result;
    };
    program.domain = permuted(program.domain);
    for_each_operand(program, [&](KernelOperand& o) { o.strides = permuted(o.strides); });
    uint32_t reduced = 0;
    for (int d = 0; d < order.rank(); ++d) reduced |= (program.reduced >> order[d] & 1) << d;
    program.reduced = reduced;
}

}  // namespace

void walk_channels_last(KernelProgram& program) {
    const Strides last = strides_in(MemoryOrder::channels_last, program.domain);
    const auto lies_last = [&](const Strides& strides) {
        for (int d = 0; d < program.domain.rank(); ++d)
            if (program.domain[d] != 1 && strides[d] != last[d]) return false;
        return true;
    };
    const auto spans = [&](const Strides& strides) {
        for (int d = 0; d < program.domain.rank(); ++d)
            if (program.domain[d] != 1 && strides[d] == 0) return false;
        return true;
    };
    if (program.domain.rank() < 3) return;
    bool found = false, may = true;
    for (const KernelOperand& input : program.inputs) found = found || lies_last(input.strides);
    for (const KernelProgram::Output& output : program.outputs) {
        const bool is_last = lies_last(output.to.strides);
        found = found || is_last;
        // Results are stored in vectors along the innermost dimension.
        may = may && (is_last || !spans(output.to.strides)) && (program.domain[1] == 1 || output.to.strides[1] <= 1);
    }
    if (!found || !may) return;
    Dims order{0};
    for (int d = 2; d < program.domain.rank(); ++d) order.push_back(d);
    order.push_back(1);
    reorder(program, order);
}

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
