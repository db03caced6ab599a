#pragma once

#include "runtime/graph/node.h"

namespace catena {

/// Forgets the creator of `body`, for whoever used `body` before, too: gradients end there, as at a leaf.
void unchain(VariableBody& body);
/// Forgets the creators of everything that `body` was computed from, and its own.
void unchain_history(VariableBody& body);

/// Puts the nodes of single operations in the place of a node that stands for a program.
void expand_region(Node& node);
/// Does so with every such node that gradients of `outputs` may reach.
void expand_regions_below(std::span<const Variable> outputs);

}  // namespace catena
