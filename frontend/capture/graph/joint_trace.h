#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/graph/graph_end.h"

namespace catena::capture {

/// The forward and the backward program of a call joined to one program, with a border operation
/// between them (runtime/ops/declare/border.h). Inputs: those of forward, BackwardProgram::extras,
/// the gradients of the results. Outputs: the values of `outputs`, then the gradients at the border
/// of the graph. Scalars: those of forward, then those of backward.
struct JointTrace {
    Trace trace;
    /// Indices of the forward program's outputs that somebody still refers to; an index beyond its
    /// outputs is one of its assigns.
    std::vector<int> outputs;
};

/// Joins two programs. `wanted`: for each output of `forward`, and then for each of its assigns,
/// whether it is an output of the joint program too; the others are only saved for backward.
/// `backward`: the backward program of `graph`.
std::unique_ptr<const JointTrace> join(const Trace& forward, const std::vector<char>& wanted,
                                       const Trace& backward, const GraphEnd& graph);

/// A joint program without its border operation.
Trace without_border(const Trace& joint);

/// The reason why this forward and its backward program are compiled separately; empty: they can be
/// joined.
std::string why_apart(const Trace& forward, const Trace& backward, const Device& device);

}  // namespace catena::capture
