#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/recurrent/recurrent_cells.h"
#include "runtime/cpu/recurrent/sequence_steps.h"

namespace catena {

// One layer and direction over sequences of different lengths: B sequences, U units, G gates
// (CellWidths). All arrays are contiguous and of one dtype, float32 or float64.

struct RecurrentInputs {
    Array x;   ///< [total, G U]: the input's products, with its bias.
    Array h0;  ///< [B, U]
    Array c0;  ///< [B, U] if the cell has a memory.
    Array R;   ///< [G U, U]
    Array b;   ///< [G U]
};
struct RecurrentOutputs {
    Array y;   ///< [total, U], in the rows of x.
    Array hy;  ///< [B, U]: after each sequence's last step.
    Array cy;
    Array kept;  ///< [total, kept U], in packed rows (SequenceSteps).
};
void recurrent_forward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& steps,
                       const RecurrentInputs& in, const RecurrentOutputs& out);

/// `gy` holds the gradients towards y, hy and cy, and what the steps kept; `gx` receives those
/// towards the inputs.
void recurrent_backward(RecurrentCell cell, const GatePlaces& places, const SequenceSteps& steps,
                        const RecurrentInputs& in, const RecurrentOutputs& gy,
                        const RecurrentInputs& gx);

}  // namespace catena
