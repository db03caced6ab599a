#pragma once

#include <string>

#include "runtime/graph/variable/variable.h"

namespace catena {

// What a Variable is, for people: Chainer's Variable.label, rank, creator, summary() and
// debug_print().

/// Name, shape and dtype of x: "x (2, 3), float32".
std::string label(const Variable& x);
/// The depth of x in the graph: 0 for leaves, else Creator::rank() of its creator.
int64_t graph_rank(const Variable& x);
/// The name of the operation that made x: "exp", or "" for leaves.
std::string creator_label(const Variable& x);

/// Name, type and device of x, whether it requires a gradient, and what made it, in one line.
std::string summary(const Variable& x);
/// The text of summary() and, in further lines, mean and standard deviation of the elements and the
/// gradient. Reads elements.
std::string debug_print(const Variable& x);

/// Copies the elements of `from` into `to`, on to's device and in its dtype, outside the graph.
/// ShapeError unless shapes are equal; if `to` has no array it gets from's type, and if `from` has
/// none nothing changes.
void copydata(const Variable& to, const Variable& from);

}  // namespace catena
