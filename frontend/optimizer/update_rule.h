#pragma once

#include "frontend/optimizer/optimizer.h"
#include "frontend/optimizer/sweep.h"
#include "runtime/ops/define/define.h"

namespace catena {

/// Runs `sweep` on (parameter, gradient, moments...) of every slot and stores the results: the new parameter,
/// then the new moments.
void sweep_parameters(const Sweep& sweep, std::span<UpdateSlot* const> slots, std::span<const Variable> shared,
                      std::initializer_list<Scalar> scalars);

}  // namespace catena
