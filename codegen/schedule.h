#pragma once

#include "codegen/draft.h"

namespace catena::codegen {

/// A result and the state (an input) whose content it replaces.
using StateResults = std::vector<std::pair<int, int>>;

/// Orders kernels and calls (given in program order) into launches. Kernels whose results no launch reads run together:
/// last, or as soon as they free many bytes and may overwrite the states that they replace.
void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order, const StateResults& states);

/// Gives every arena buffer an offset; those that live at the same time do not overlap. Outputs of kernels overwrite
/// inputs in place that are not read afterwards, if the kernel allows it.
void plan_memory(Draft& draft);

/// The last launch that can fail on values of its inputs, though all before it did not; -1: none.
int last_check(const Schedule& schedule);

/// Lets the new content of a state overwrite the old if the old is not read afterwards and no later launch can
/// fail.
void plan_donations(Draft& draft, const StateResults& states);

/// Launches in order with what they read and write, and where each buffer is.
std::string to_string(const Schedule& schedule);

}  // namespace catena::codegen
