#pragma once

#include <vector>

#include "codegen/draft.h"

namespace catena::codegen {

/// The launches of a program in two parts, each in program order.
struct Sides {
    std::vector<Launch> forward, backward;
};

/// Divides launches between forward and backward by their dependences: launches that a result of
/// the first part needs are forward, launches that read inputs of the second part only are
/// backward. The others run where fewer bytes have to be saved from forward to backward (a minimal
/// cut, the one with least of forward), except that launches that can fail on values, and messages,
/// are forward, as recorded; in backward they run right before their first reader. CompileError if
/// backward returns what forward computes, or forward reads what backward makes.
Sides divide_launches(const Schedule& schedule, const std::vector<Launch>& in_order);

/// Orders the launches of a program in two parts, each as batch_kernels does, and completes its
/// cut.
void batch_in_parts(Schedule& schedule, const std::vector<Launch>& in_order,
                    const StateResults& states);

}  // namespace catena::codegen
