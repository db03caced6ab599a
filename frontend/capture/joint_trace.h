#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/graph_end.h"

namespace catena::capture {

/// The forward and the backward program of a call as one, with a border between them
/// (runtime/ops/declare/border.h). Its inputs are those of forward, then GraphEnd::extras, then the
/// gradients of the results; its outputs the values of `outputs`, then the gradients at the border
/// of the graph; its scalars those of forward, then those of backward.
struct JointTrace {
    Trace trace;
    std::vector<int> outputs;  ///< Those of the forward program's outputs that somebody still
                               ///< refers to, and so its assigns, by place.
};

/// `wanted`: for each output of `forward`, and then for each of its assigns, whether it is one of
/// the joint program; others are only kept for backward. `backward`: the graph's.
std::unique_ptr<const JointTrace> join(const Trace& forward, const std::vector<char>& wanted,
                                       const Trace& backward, const GraphEnd& graph);

/// The same program in one part.
Trace without_border(const Trace& joint);

/// Why this forward program and its backward program stay two programs; empty: they need not.
std::string why_apart(const Trace& forward, const Trace& backward, const Device& device);

}  // namespace catena::capture
