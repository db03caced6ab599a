#pragma once

#include "runtime/graph/node/node.h"

namespace catena {

/// Removes the creator of `body`, also for earlier uses of it: gradients end there, as at a leaf.
void unchain(VariableBody& body);
/// Removes the creators of `body` and of everything it was computed from.
void unchain_history(VariableBody& body);

/// Replaces a node that represents a program by the nodes of its single operations.
void expand_region(Node& node);

/// The present edge of a variable whose edge was `edge`: another one if the program that made it
/// was expanded since.
Edge behind_expanded(Edge edge);
/// Expands (see expand_region) every program's node that gradients of `outputs` may reach.
void expand_regions_below(std::span<const Variable> outputs);

}  // namespace catena
