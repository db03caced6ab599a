#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/capture/call/live_graph.h"
#include "frontend/capture/graph/asked_results.h"
#include "frontend/capture/graph/reach.h"
#include "frontend/capture/path/outgrowth.h"
#include "frontend/capture/path/packed_trace.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/program/schedule/executable.h"

namespace catena::capture {

/// The data needed to create one node of a LiveGraph again.
struct NodeRecord {
    struct Target {
        enum : uint8_t { nowhere, inside, outside } where = nowhere;
        /// Index in RecordedNodes::records (inside) or among the edges of the border (outside).
        int number = 0;
        int index = 0;  ///< Index of the output, of a node inside.
    };
    const OpDef* op = nullptr;
    Attributes attributes;
    SourceLoc location;
    std::vector<int> scalars;     ///< Scalar slots of the forward program.
    std::vector<Target> targets;  ///< The targets of the node's edges, one for each input.
    /// The types of the node's inputs and outputs; the lists belong to the Tree.
    std::span<const Type> input_types, output_types;
    std::vector<int> kept_inputs,
        /// The values of the forward program that the node keeps; -1: not kept, -2: computed
        /// elsewhere.
        kept_outputs;
};

/// The nodes of a LiveGraph, as they are created again.
struct RecordedNodes {
    std::vector<NodeRecord> records;  ///< The recorded nodes, in the order of their creation.
    std::vector<int> walk_order;      ///< The order in which GraphWalk visits the nodes.
    /// For each result, the node that gave it and the index of the output there.
    std::vector<std::pair<int, int>> results;
    /// For each edge of the border, the line of the last operation that reads the value there,
    /// whose gradient reaches it first.
    std::vector<SourceLoc> border_locations;
};

/// The forward program of a LiveGraph, with the graph's results as its outputs.
struct ForwardProgram {
    PackedTrace trace;
    /// The trace's inputs and outputs, as values of the segment.
    std::vector<int> inputs, outputs;
};

/// The program that computes gradients at the border of a LiveGraph. Its inputs: the kept values,
/// the extras, the gradients of the asked results.
struct BackwardProgram {
    /// A scalar: one of the forward program, a cell, or a constant.
    struct Number {
        int slot = -1;
        Ref<Cell::Body> cell;
        double value = 0;
    };
    /// An input that the forward program does not read.
    struct Extra {
        Ref<VariableBody> state;
        Array constant;
    };
    PackedTrace trace;
    /// The number of outputs that are gradients; the new contents of `assigned` follow.
    size_t gradient_count = 0;
    std::vector<Ref<VariableBody>> assigned;  ///< The states that the backward program assigns.
    std::vector<int> kept;  ///< The values of the forward program that the backward program reads.
    std::vector<Extra> extras;
    std::vector<Number> scalars;
    /// For each edge of the border, the output that flows to it; -1: nothing flows.
    std::vector<int> gradients;
};

/// The backward program of a LiveGraph, for gradients of some of its results. It is recorded when
/// it is first needed.
struct GraphEnd : Outgrowth {
    static constexpr Kind kind = Kind::graph;
    GraphKey key;
    AskedMask asked;  ///< The results whose gradients the backward program takes as inputs.
    /// The results that backwards have asked for lately; shared by all GraphEnds of this key.
    std::shared_ptr<AskedResults> latest;
    /// For each result: whether a zero gradient of it has the same effect as none on the operation
    /// that gave it.
    std::vector<bool> zero_is_none;
    /// Forward scalars whose value decided something while the gradients were recorded, and that
    /// value.
    std::vector<std::pair<int, double>> numbers;
    std::string name;  ///< The region's name.
    ForwardProgram forward;
    BackwardProgram backward;
    Reach reach;
    RecordedNodes nodes;

    mutable std::mutex mutex;  ///< Guards the members below.
    /// The unpacked backward program, where it is interpreted or KnownSizes refers to it; else
    /// null.
    mutable std::shared_ptr<const Trace> unpacked_backward;
    mutable std::shared_ptr<Executable> executable;
    mutable double compile_seconds = 0;

    bool fits(const LiveGraph& live, std::span<const double> scalars) const;
    /// Whether the program computes the gradients that eager code would from `gy`, of which some
    /// may be undefined. An undefined one becomes a zero, which must reach nothing that the others
    /// do not: 0 times inf is NaN, and the work would be for nothing.
    bool serves(std::span<const Variable> gy) const;
    bool may_be_zero(int result, std::span<const Variable> gy) const;
    /// The backward program as a Trace, unpacked unless it is already. The mutex must be held.
    std::shared_ptr<const Trace> backward_trace() const;
    size_t bytes() const override;
};

}  // namespace catena::capture
