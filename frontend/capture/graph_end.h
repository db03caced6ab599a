#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "frontend/capture/asked_results.h"
#include "frontend/capture/packed_trace.h"
#include "frontend/capture/pointer_table.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/graph/variable/variable.h"
#include "runtime/program/schedule/executable.h"

namespace catena::capture {

class Follower;

/// Whether gradients flow along both edges to the same place.
bool same_edge(const Edge& a, const Edge& b);

/// The part of the graph built by a region's code that is still referenced when the code has
/// returned.
struct LiveGraph {
    /// The variables still referenced whose creator is in the graph.
    std::vector<Variable> results;
    std::vector<Edge> border;        ///< The edges at which gradients leave the region, each once.
    std::vector<Type> border_types;  ///< The types of the values at `border`.
    /// A description of the graph in numbers: results by node, output and value; nodes by number
    /// and by the operation that created them, and their edges. Two graphs of one path are equal if
    /// these words and the attributes of their nodes are.
    std::vector<int64_t> shape;
    std::vector<const Node*> nodes;  ///< The nodes, in the order in which GraphWalk found them.

    /// Empties the lists but keeps their memory for the next call.
    void clear() {
        results.clear();
        border.clear();
        border_types.clear();
        shape.clear();
        nodes.clear();
    }
};

/// Clears a graph when the scope ends: its variables and edges are counted as references.
struct ClearedGraph {
    LiveGraph& graph;
    ~ClearedGraph() { graph.clear(); }
};

/// Reachability in a LiveGraph: which results and border edges lie below which results.
class Reach {
public:
    Reach() = default;
    Reach(const LiveGraph& live, const NodeOwner* owner);
    /// Whether result `from` was computed from result `other`.
    bool result(int from, int other) const { return below_[size_t(from)][size_t(other)]; }
    /// Whether result `from` was computed by the operation that gave result `other`.
    bool creator(int from, int other) const { return creators_[size_t(from)][size_t(other)]; }
    /// Whether a gradient of `result` flows to edge `edge` of the border.
    bool border(int result, int edge) const { return above_[size_t(edge)][size_t(result)]; }

private:
    /// For each result, the results that it was computed from.
    std::vector<std::vector<bool>> below_;
    std::vector<std::vector<bool>>
        creators_;  ///< For each result, the results that an operation of its history gave.
    std::vector<std::vector<bool>>
        above_;  ///< For each border edge, the results whose gradient reaches it.
};

/// Finds the LiveGraph by walking from the results towards the inputs.
class GraphWalk {
public:
    /// Fills `graph`, which must hold nothing but its results; their creators are nodes of
    /// `follower`'s call.
    void run(const Follower& follower, LiveGraph& graph);
    /// The index of the edge that leads to `leaf` in the border of the graph found last; -1: none.
    int number_of(const VariableBody& leaf);

private:
    void visit(const Follower& follower, const Node& root, LiveGraph& graph);
    PointerTable outside_;
    std::vector<char> seen_;
    std::vector<const Node*> waiting_;
};

/// The data needed to create one node of a LiveGraph again.
struct NodeRecord {
    struct Target {
        enum : uint8_t { nowhere, inside, outside } where = nowhere;
        /// Index in GraphEnd::nodes (inside) or among the edges of the border (outside).
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

/// The backward program of a LiveGraph, for gradients of some of its results. It is recorded when
/// it is first needed.
struct GraphEnd {
    /// A scalar of the backward program: a scalar of the forward program, a cell, or a constant.
    struct Number {
        int slot = -1;
        Ref<Cell::Body> cell;
        double value = 0;
    };
    /// An input that only the backward program reads.
    struct Extra {
        Ref<VariableBody> state;
        Array constant;
    };
    std::vector<int64_t> shape;
    AskedMask asked;  ///< The results whose gradients it takes as inputs.
    /// The results that backwards have asked for lately; shared by all GraphEnds of this shape.
    std::shared_ptr<AskedResults> latest;
    /// For each result: whether a zero gradient of it has the same effect as none on the operation
    /// that gave it.
    std::vector<bool> zero_is_none;
    /// Forward scalars whose value decided something while the gradients were recorded, and that
    /// value.
    std::vector<std::pair<int, double>> numbers;
    std::string name;     ///< The region's name.
    PackedTrace forward;  ///< The forward program, with the graph's results as its outputs.
    /// The inputs and outputs of `forward`, as values of the segment.
    std::vector<int> inputs, outputs;
    /// The backward program. Its inputs: the kept values, the extras, the gradients of the asked
    /// results.
    PackedTrace backward;
    /// Number of outputs of `backward` that are gradients; the new contents of `assigned` follow.
    size_t backward_outputs = 0;
    std::vector<Ref<VariableBody>> assigned;  ///< The states that `backward` assigns.
    std::vector<int> kept;  ///< The values of the forward program that `backward` reads.
    std::vector<Extra> extras;
    std::vector<Number> scalars;  ///< The scalars of `backward`.
    /// For each edge of the border, the output of `backward` that flows to it; -1: nothing flows.
    std::vector<int> gradients;
    Reach reach;
    std::vector<NodeRecord> nodes;  ///< Records of the nodes, in the order of their creation.
    std::vector<int> walk_order;    ///< The order in which GraphWalk visits the nodes.
    /// For each result, the node that gave it and the index of the output there.
    std::vector<std::pair<int, int>> results;
    /// For each edge of the border, the line of the last operation that reads the value there,
    /// whose gradient reaches it first.
    std::vector<SourceLoc> border_locations;
    std::atomic<GraphEnd*> sibling{nullptr};

    mutable std::mutex mutex;  ///< Guards the members below.
    /// The unpacked `backward`, where it is interpreted or KnownSizes refers to it; else null.
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
    size_t bytes() const;
};

/// Records the backward program of `live` for gradients of the asked results, on shapes only.
std::unique_ptr<GraphEnd> record_graph(const Follower& follower, const LiveGraph& live,
                                       const AskedMask& asked);

}  // namespace catena::capture
