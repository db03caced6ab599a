#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Ops that read or add at places named by index arrays. ValueError with the op, the index and the
// valid range when an index is outside; negative ones count from the end when the attribute "wrap"
// is true. Index arrays have any integer dtype. Additions run in the order of the indices: the same
// bits on any number of threads.

/// The kernel of gather: y = x at the places of the index arrays (inputs 1...), which broadcast
/// together and index the attribute "axes"; their axes stand at "position" of the result. Index
/// "ignore_label", where given, reads zeros.
void run_gather(const KernelCall& call);
/// The kernel of the gather's gradient: input 0 is added into zeros of attribute "shape".
void run_scatter_add(const KernelCall& call);
/// The kernel that adds input 1 onto input 0, in whose memory the result may lie; the index arrays
/// follow. Nothing is written before all indices are known to be valid.
void run_scatter_onto(const KernelCall& call);

/// The kernel of y[..., i, ...] = x[..., indices[..., i, ...], ...] along "axis".
void run_take_along_axis(const KernelCall& call);
/// The kernel of its gradient: input 0 is added into zeros, "size" of them along the axis.
void run_add_along_axis(const KernelCall& call);

/// The kernel of one_hot: 1 at the index, 0 elsewhere, along a new last axis.
void run_one_hot(const KernelCall& call);

}  // namespace catena
