#pragma once

#include <vector>

#include "codegen/kernel/dependence.h"

namespace catena::codegen::cpu {

/// Decides in which loop of a collapsed kernel each value is computed.
///
/// Levels, from the outside: the kernel, the unit (a row, or a block of kept lanes), with kept
/// lanes the chunk of lanes, then the reduced loops. A value's level is the outermost at which its
/// operands are known.
class LoopNest {
public:
    explicit LoopNest(const Kernel& kernel);

    static constexpr int level_kernel = 0, level_unit = 1;
    bool lanes_reduced = false;
    std::vector<int> reduced_dims;
    int level_chunk = -1, level_first_reduced = 0, level_last = 0;

    const Dependence& dependence() const { return dependence_; }
    int level(int value) const { return level_[size_t(value)]; }
    /// Whether some use of the value is a vector.
    bool used_by_lanes(int value) const { return used_by_lanes_[size_t(value)]; }

    /// Estimated vector instructions to compute a value from those known outside the innermost
    /// loop.
    double cost_of(int value) const;

private:
    int level_of_dim(int dim) const;
    void find_levels();
    void find_uses();

    const Kernel& kernel_;
    Dependence dependence_;
    std::vector<int> level_;
    std::vector<bool> used_by_lanes_;
};

}  // namespace catena::codegen::cpu
