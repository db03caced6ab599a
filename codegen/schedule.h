#pragma once

#include "codegen/kernel_program.h"
#include "runtime/program/schedule.h"

namespace catena::codegen {

/// Orders kernels and calls (given in program order) into launches; kernels whose results no launch reads run last,
/// together.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order);

/// Gives every arena buffer an offset; those that live at the same time do not overlap. Outputs of kernels overwrite
/// inputs in place that are not read afterwards, if the kernel allows it.
void plan_memory(Schedule& schedule);

/// The last launch that can fail on values of its inputs; -1: none.
int last_check(const Schedule& schedule);

/// Lets the new content of a state overwrite the old if the old is not read afterwards and no later launch can
/// fail.
void plan_donations(Schedule& schedule, const std::vector<std::pair<int, int>>& output_and_state);

/// Approximate memory of the schedule, without machine code.
size_t bytes_of(const Schedule& schedule);

/// Launches in order with what they read and write, and where each buffer is.
std::string to_string(const Schedule& schedule);

}  // namespace catena::codegen
