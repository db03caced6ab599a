#pragma once

#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/cpu/recurrent/sequence_steps.h"
#include "runtime/graph/op.h"

namespace catena {

/// One layer and direction of a recurrent network over B sequences of different lengths, of U units
/// and G gates (runtime/cpu/recurrent/recurrent_cells.h).
struct RecurrentLayer {
    Variable x;  ///< [total, G U]: products of the input rows with the weights of all gates, with
                 ///< their bias.
    Variable h;  ///< [B, U]: the state before the first step.
    Variable c;  ///< [B, U], for cells with a memory.
    Variable R, b;     ///< [G U, U] and [G U]: what h is multiplied with, and its bias.
    Variable lengths;  ///< Integers [B], values and not sizes: one compiled program computes all of
                       ///< them.
    GatePlaces gates = {};  ///< Of x, R and b.
    RowOrder order = RowOrder::by_sequence;
    bool reverse = false;  ///< From the last step of each sequence to the first.
};
struct RecurrentStates {
    Variable y;     ///< [total, U]: h after each step, in the rows of x.
    Variable h, c;  ///< [B, U]: after each sequence's last step.
};
/// A single operation. Its second derivatives run step by step.
RecurrentStates recurrent_layer(RecurrentCell cell, const RecurrentLayer& layer);

/// The layer in terms of other operations, one for each step: what its op is tested with and
/// differentiated twice by. Inputs x, h, (c,) R, b, lengths; results y, h(, c). It reads the
/// lengths at once.
Variables recurrent_steps(RecurrentCell cell, std::span<const Variable> inputs,
                          const Attributes& attributes);

/// A layer's gates from its attributes.
GatePlaces places_of(const Attributes& attributes);
/// The steps of a layer from its attributes and its lengths.
SequenceSteps steps_of(const char* op, const Array& lengths, int64_t total,
                       const Attributes& attributes);

}  // namespace catena
