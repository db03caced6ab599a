#pragma once

#include "codegen/kernel_program.h"
#include "runtime/program/schedule.h"

namespace catena::codegen {

/// Orders kernels and calls (which stand in program order) into launches; kernels whose results nobody waits for run
/// last, together.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order);

/// Gives every arena buffer an offset; those that live at the same time do not overlap. Outputs of kernels take the memory
/// of inputs that nobody reads afterwards where the kernel allows it.
void plan_memory(Schedule& schedule);

/// The last launch that can fail because of the values it is given; -1: none can.
int last_check(const Schedule& schedule);

/// Lets the new content of a state take over the memory of the old where nobody reads the old any more and nothing can
/// fail after it was written.
void plan_donations(Schedule& schedule, const std::vector<std::pair<int, int>>& output_and_state);

/// About what the schedule itself takes, without machine code.
size_t bytes_of(const Schedule& schedule);

/// Launches in order with what they read and write, and where each buffer is.
std::string to_string(const Schedule& schedule);

}  // namespace catena::codegen
