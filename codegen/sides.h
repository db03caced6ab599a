#pragma once

#include <vector>

#include "codegen/draft.h"

namespace catena::codegen {

/// The launches of a program in two parts, each in program order.
struct Sides {
    std::vector<Launch> forward, backward;
};

/// Divides launches by what they need: those that a result of the first part needs are forward,
/// those that read what only the second part is given are backward. The others run where fewer
/// bytes have to be saved from forward to backward (a minimal cut, the least of forward among
/// those), except that what can fail on values and messages are forward, as recorded; in backward
/// they run right before their first reader. CompileError if backward returns what forward
/// computes, or forward reads what backward makes.
Sides divide_launches(const Schedule& schedule, const std::vector<Launch>& in_order);

/// Orders the launches of a program in two parts, each as batch_kernels does, and completes its
/// cut.
void batch_in_parts(Schedule& schedule, const std::vector<Launch>& in_order,
                    const StateResults& states);

}  // namespace catena::codegen
