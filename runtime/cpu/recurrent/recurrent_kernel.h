#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/cpu/recurrent/sequence_steps.h"

namespace catena {

// One layer and direction over sequences of different lengths: B sequences, U units, G gates
// (CellWidths). All arrays are contiguous and of one dtype, float32 or float64.

struct RecurrentInputs {
    Array x;   ///< The input's products, with its bias: [total, G U].
    Array h0;  ///< The states before the first step, [B, U].
    Array c0;  ///< The memory before the first step, [B, U] if the cell has a memory.
    Array R;   ///< The weights of h, [G U, U].
    Array b;   ///< The bias of h, [G U].
};
struct RecurrentOutputs {
    Array y;   ///< h after each step, [total, U], in the rows of x.
    Array hy;  ///< h after each sequence's last step, [B, U].
    Array cy;
    /// The values saved for the gradient, [total, kept U], in packed rows (SequenceSteps).
    Array kept;
};
void recurrent_forward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& steps,
                       const RecurrentInputs& in, const RecurrentOutputs& out);

/// Computes the gradient. `gy` holds the gradients towards y, hy and cy, and the saved values; `gx`
/// receives the gradients towards the inputs.
void recurrent_backward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& steps,
                        const RecurrentInputs& in, const RecurrentOutputs& gy,
                        const RecurrentInputs& gx);

}  // namespace catena
