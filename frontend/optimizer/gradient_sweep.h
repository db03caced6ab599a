#pragma once

#include "frontend/optimizer/sweep.h"
#include "frontend/optimizer/update_slot.h"
#include "runtime/ops/define/define.h"

namespace catena {

/// The inputs of a sweep over gradients, for each parameter.
enum class GradientSweepValues { gradient, gradient_and_param };

/// Replaces the gradients of `slots` by one sweep (sweep.h) whose only output is the new gradient.
void sweep_gradients(const Sweep& sweep, std::span<UpdateSlot* const> slots,
                     std::span<const Variable> shared, std::initializer_list<Scalar> scalars,
                     GradientSweepValues values);

}  // namespace catena
