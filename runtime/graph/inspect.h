#pragma once

#include <string>

#include "runtime/graph/variable.h"

namespace catena {

// What a Variable is, for people: Chainer's Variable.label, rank, creator, summary() and
// debug_print().

/// "x (2, 3), float32".
std::string label(const Variable& x);
/// 0 of leaves, else Creator::rank() of its creator.
int64_t graph_rank(const Variable& x);
/// The operation that made x: "exp", or "" of leaves.
std::string creator_label(const Variable& x);

/// One line: name, type, device, whether it requires a gradient, what made it.
std::string summary(const Variable& x);
/// Several lines: the same with the mean and the standard deviation of its elements and its
/// gradient. Reads elements.
std::string debug_print(const Variable& x);

/// Gives `to` the elements of `from`, on to's device and in its dtype; outside the graph.
/// ShapeError unless shapes are equal; a variable without an array gets from's type. What is
/// without an array itself changes nothing.
void copydata(const Variable& to, const Variable& from);

}  // namespace catena
