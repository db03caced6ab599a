#pragma once

#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/cpu/recurrent/sequence_steps.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// One layer and direction of a recurrent network over B sequences of different lengths, of U units
/// and G gates (runtime/cpu/recurrent/recurrent_cells.h).
struct RecurrentLayer {
    /// The products of the input rows with the weights of all gates, with their bias: [total, G U].
    Variable x;
    Variable h;     ///< The state before the first step, [B, U].
    Variable c;     ///< The memory before the first step, [B, U], for cells with a memory.
    Variable R, b;  ///< The weights that h is multiplied with, [G U, U], and their bias, [G U].
    /// The lengths of the sequences, integers [B]. They are values and not sizes, so that one
    /// compiled program serves all of them.
    Variable lengths;
    GatePlaces gates = {};  ///< The places of the gates in x, R and b.
    RowOrder order = RowOrder::by_sequence;
    bool reverse = false;  ///< Whether it runs from the last step of each sequence to the first.
};
struct RecurrentStates {
    Variable y;     ///< h after each step, in the rows of x: [total, U].
    Variable h, c;  ///< The states after each sequence's last step, [B, U].
};
/// Computes a layer as a single operation. Its second derivatives run step by step.
RecurrentStates recurrent_layer(RecurrentCell cell, const RecurrentLayer& layer);

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
