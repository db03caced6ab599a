#include "frontend/capture/planned/schedule_units.h"

#include "runtime/program/run/blocked_kernels.h"

namespace catena::capture {
namespace {

using program::BlockedKernels;
using program::KernelGeometry;
using program::KernelLaunch;

/// See NumberVisitor (runtime/program/stream/number_visitor.h) for which of them are not a kernel's
/// own.
ScheduleUnit unit_of(const KernelLaunch& kernel, bool combines) {
    const KernelGeometry& geometry = kernel.geometry;
    const bool split = geometry.split > 0;
    ScheduleUnit unit{.steps = kernel.steps,
                      .scalars = kernel.scalars,
                      .reads = {},
                      .writes = {},
                      .numbers = {},
                      .is_call = false,
                      .gathers = false};
    if (split) unit.numbers.push_back(geometry.split_size);
    for (int dim = 0; dim < geometry.domain.rank(); ++dim)
        if (!(split && (dim == 0 || dim == geometry.split)) &&
            !(combines && geometry.is_reduced(dim)))
            unit.numbers.push_back(geometry.domain[dim]);
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
        const program::KernelOperand& operand = geometry.operand(int(o));
        ScheduleUnit::Operand made{kernel.operands[o].buffer,
                                   kernel.operands[o].byte_offset / int64_t(size_of(operand.dtype)),
                                   {}};
        for (int dim = split && !BlockedKernels::is_per_block(geometry, operand) ? 1 : 0;
             dim < operand.strides.rank(); ++dim)
            made.numbers.push_back(operand.strides[dim]);
        (o < geometry.inputs.size() ? unit.reads : unit.writes).push_back(std::move(made));
    }
    return unit;
}

ScheduleUnit::Operand operand_of(const program::View& view) {
    ScheduleUnit::Operand made{view.buffer, view.offset, {}};
    made.numbers.insert(made.numbers.end(), view.type.shape.begin(), view.type.shape.end());
    made.numbers.insert(made.numbers.end(), view.strides.begin(), view.strides.end());
    return made;
}

ScheduleUnit unit_of(const program::LibraryCall& call) {
    ScheduleUnit unit{.steps = call.steps,
                      .scalars = call.scalars,
                      .reads = {},
                      .writes = {},
                      .numbers = {},
                      .is_call = true,
                      .gathers = call.op->kind == Kind::concat};
    for (const program::View& view : call.inputs) unit.reads.push_back(operand_of(view));
    for (const program::View& view : call.outputs) unit.writes.push_back(operand_of(view));
    for (const Attributes::Entry& entry : call.attributes.entries()) {
        if (const Dims* dims = std::get_if<Dims>(&entry.value))
            unit.numbers.insert(unit.numbers.end(), dims->begin(), dims->end());
        else if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
            unit.numbers.push_back(*integer);
    }
    return unit;
}

}  // namespace

ScheduleUnits::ScheduleUnits(const program::Schedule& schedule, size_t steps)
    : writers_(schedule.buffers.size()), begin_of_step_(steps + 2, 0) {
    const BlockedKernels blocks(schedule);
    for (size_t k = 0; k < schedule.kernels.size(); ++k)
        units_.push_back(unit_of(schedule.kernels[k], blocks.combines(schedule, k)));
    for (const program::LibraryCall& call : schedule.library_calls) units_.push_back(unit_of(call));
    auto for_steps = [&](auto f) {
        for (size_t u = 0; u < units_.size(); ++u)
            for (int step : units_[u].steps)
                if (size_t(step) < steps) f(int(u), size_t(step));
    };
    for_steps([&](int, size_t step) { ++begin_of_step_[step + 2]; });
    for (size_t step = 0; step < steps; ++step)
        begin_of_step_[step + 2] += begin_of_step_[step + 1];
    units_of_steps_.resize(size_t(begin_of_step_.back()));
    for_steps([&](int u, size_t step) { units_of_steps_[size_t(begin_of_step_[step + 1]++)] = u; });
    for (size_t u = 0; u < units_.size(); ++u)
        for (size_t o = 0; o < units_[u].writes.size(); ++o)
            writers_[size_t(units_[u].writes[o].buffer)] = {int(u), int(o)};
}

std::span<const int> ScheduleUnits::computing(int step) const {
    return std::span(units_of_steps_)
        .subspan(size_t(begin_of_step_[size_t(step)]),
                 size_t(begin_of_step_[size_t(step) + 1] - begin_of_step_[size_t(step)]));
}

}  // namespace catena::capture
