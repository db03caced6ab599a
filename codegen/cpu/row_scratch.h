#pragma once

#include <vector>

#include "codegen/cpu/loop_nest.h"

namespace catena::codegen::cpu {

/// Values that one stage of a row computes and a later one reads again, where storing the row costs
/// less than recomputing it: the exponentials of a softmax.
struct RowScratch {
    /// For each value, the slot that it is stored in, or -1, and the stage that computes it.
    std::vector<int> slot, from;
    int slots = 0;
    /// The values that stage `stage` loads from the scratch memory.
    std::vector<bool> known_at(int stage) const;
};
RowScratch no_row_scratch(const Kernel& kernel);
RowScratch find_row_scratch(const Kernel& kernel, const LoopNest& nest);

}  // namespace catena::codegen::cpu
