#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/graph_end.h"
#include "frontend/capture/path.h"

namespace catena::capture {

/// What one call keeps for a backward from outside; freed when that has run or the results die.
struct Activation {
    std::shared_ptr<Tree> tree;
    const GraphEnd* graph = nullptr;
    std::shared_ptr<Program> program;  ///< Null until the call has been computed.
    std::vector<Array> inputs;         ///< Of GraphEnd::forward, in order.
    std::vector<Array> kept;           ///< As GraphEnd::kept; empty after a backward.
    std::vector<double> scalars;       ///< Of the forward program,
    std::vector<std::pair<int, Scalar>> cells;  ///< and which of them are cells, read anew by a backward.
};

/// The op of a node that stands for a compiled region.
const OpDef& region_op();

/// Makes one node of the graph of `live`, whose gradients the compiled backward program gives.
void attach_activation(const std::shared_ptr<Activation>& activation, const LiveGraph& live);

}  // namespace catena::capture
