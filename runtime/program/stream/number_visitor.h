#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/schedule/schedule.h"

// Calls `number`, with a reference to an int64_t, for each number of a part of a schedule that
// depends on its sizes. Without those that follow from others, see set_numbers.

namespace catena::program {

template <class F>
void visit_numbers(Dims& dims, F& number) {
    for (int64_t& size : dims) number(size);
}

template <class F>
void visit_numbers(View& view, F& number) {
    number(view.offset);
    visit_numbers(view.type.shape, number);
    visit_numbers(view.strides, number);
}

/// `combines`: it combines the results of blocks, so their number is not its own.
template <class F>
void visit_numbers(KernelLaunch& kernel, bool combines, F& number) {
    KernelGeometry& geometry = kernel.geometry;
    const bool split = geometry.split > 0;
    if (split) number(geometry.split_size);
    for (int dim = 0; dim < geometry.domain.rank(); ++dim)
        if (!(split && (dim == 0 || dim == geometry.split)) &&
            !(combines && geometry.is_reduced(dim)))
            number(geometry.domain[dim]);
    auto visit_strides = [&](KernelOperand& operand) {
        for (int dim = split && !BlockedKernels::is_per_block(geometry, operand) ? 1 : 0;
             dim < operand.strides.rank(); ++dim)
            number(operand.strides[dim]);
    };
    for (KernelOperand& input : geometry.inputs) visit_strides(input);
    for (KernelOperand& output : geometry.outputs) visit_strides(output);
    for (KernelLaunch::Operand& operand : kernel.operands) number(operand.byte_offset);
}

template <class F>
void visit_numbers(Attributes& attributes, F& number) {
    std::vector<Attributes::Entry> entries(attributes.entries().begin(),
                                           attributes.entries().end());
    bool changed = false;
    for (Attributes::Entry& entry : entries) {
        const Attribute before = entry.value;
        if (Dims* dims = std::get_if<Dims>(&entry.value))
            visit_numbers(*dims, number);
        else if (int64_t* integer = std::get_if<int64_t>(&entry.value))
            number(*integer);
        changed = changed || !(before == entry.value);
    }
    if (changed) attributes = Attributes(std::move(entries));
}

/// The bytes of a buffer that has a result for each of `blocks` blocks are a multiple of their
/// number.
template <class F>
void visit_numbers(Buffer& buffer, int64_t blocks, F& number) {
    const int64_t before = int64_t(buffer.bytes) / blocks;
    int64_t bytes = before;
    number(bytes);
    if (bytes != before) buffer.bytes = size_t(bytes * blocks);
}

}  // namespace catena::program
