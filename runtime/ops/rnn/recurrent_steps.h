#pragma once

#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/cpu/recurrent/sequence_steps.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// The layer in terms of other operations, one for each step, by which its op is tested and
/// differentiated twice. Inputs x, h, (c,) R, b, lengths; results y, h(, c). It reads the lengths
/// at once.
Variables recurrent_steps(RecurrentCell cell, std::span<const Variable> inputs,
                          const Attributes& attributes);

/// The places of a layer's gates, from its attributes.
GatePlaces places_of(const Attributes& attributes);
/// The steps of a layer, from its attributes and its lengths.
SequenceSteps steps_of(const char* op, const Array& lengths, int64_t total,
                       const Attributes& attributes);

}  // namespace catena
