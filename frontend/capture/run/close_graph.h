#pragma once

#include "runtime/graph/op/op.h"

namespace catena::capture {

class Activation;
struct FollowedCall;
struct GraphEnd;

/// The graph of the results of a call whose code has returned. Null where the results keep the
/// nodes of the single operations, or have none.
struct ClosedGraph {
    const GraphEnd* graph = nullptr;
    /// What the call keeps for a backward; it belongs to the results.
    Activation* activation = nullptr;
};

/// Replaces the graph nodes of a call's results by one whose gradient is a program; those that a
/// backward inside has used, by one that refuses a second. `left`: gets the results that keep the
/// nodes of single operations.
ClosedGraph close_graph(FollowedCall& call, Variables& left);

/// Takes the results of a call out of the graph: no backward will come.
void drop_graph(const FollowedCall& call);

}  // namespace catena::capture
