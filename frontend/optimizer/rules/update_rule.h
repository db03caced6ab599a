#pragma once

#include "frontend/optimizer/optimizer.h"
#include "frontend/optimizer/sweep.h"
#include "runtime/ops/define/define.h"

namespace catena {

/// Runs `sweep` (sweep.h) on (parameter, gradient, moments...) of every slot and stores the
/// results: the new parameter, then the new moments. `shared` are 0-d; each is cast to the dtype
/// that a parameter is computed in.
void sweep_parameters(const Sweep& sweep, const UpdateGroup& group, std::span<const Cell> scalars,
                      std::span<const Variable> shared = {});
inline void sweep_parameters(const Sweep& sweep, const UpdateGroup& group,
                             std::initializer_list<Cell> scalars,
                             std::span<const Variable> shared = {}) {
    sweep_parameters(sweep, group, std::span(scalars.begin(), scalars.size()), shared);
}

/// Defines a map from an update's number and hyperparameters to numbers that all parameters share.
const OpDef& define_step_numbers(std::string name, std::vector<std::string> scalars, int outputs,
                                 Formula formula);
/// The results of a map of define_step_numbers() for a group, 0-d. In float64, because 1 - beta^t
/// has few digits in float32 for a beta near 1.
Variables step_numbers(const OpDef& map, const UpdateGroup& group, std::span<const Cell> scalars);
inline Variables step_numbers(const OpDef& map, const UpdateGroup& group,
                              std::initializer_list<Cell> scalars) {
    return step_numbers(map, group, std::span(scalars.begin(), scalars.size()));
}

/// ValueError when a number is 0 in the type that a parameter is computed in, though it is not 0:
/// an `eps` that is to be divided by.
void check_eps(const Optimizer& optimizer, const UpdateGroup& group, const Cell& eps);

}  // namespace catena
