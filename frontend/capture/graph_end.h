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
#include "runtime/graph/node.h"
#include "runtime/graph/trace.h"
#include "runtime/graph/variable.h"
#include "runtime/program/schedule/executable.h"

namespace catena::capture {

class Follower;

/// Whether gradients flow to the same place.
bool same_edge(const Edge& a, const Edge& b);

/// The part of the graph built by a region's code that is still referenced when the code has
/// returned.
struct LiveGraph {
    std::vector<Variable> results;   ///< Variables still referenced whose creator is in the graph.
    std::vector<Edge> border;        ///< Where gradients leave the region, each once,
    std::vector<Type> border_types;  ///< and the types of the values there.
    /// Two graphs of one path are equal if these words are equal (results by node, output and
    /// value; nodes by number and by the operation that created them, and their edges) and the
    /// attributes of their nodes are.
    std::vector<int64_t> shape;
    std::vector<const Node*> nodes;  ///< In the order in which the walk found them.

    /// Keeps the memory of its lists.
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

/// Reachability in such a graph.
class Reach {
public:
    Reach() = default;
    Reach(const LiveGraph& live, const NodeOwner* owner);
    /// Result `from` was computed from result `other`.
    bool result(int from, int other) const { return below_[size_t(from)][size_t(other)]; }
    /// Result `from` was computed by the operation that gave result `other`.
    bool creator(int from, int other) const { return creators_[size_t(from)][size_t(other)]; }
    /// A gradient of `result` flows to edge `edge` of the border.
    bool border(int result, int edge) const { return above_[size_t(edge)][size_t(result)]; }

private:
    std::vector<std::vector<bool>> below_;  ///< For each result, the results it was computed from,
    std::vector<std::vector<bool>>
        creators_;  ///< and those that were given by an operation of its history;
    std::vector<std::vector<bool>>
        above_;  ///< for each border edge, the results whose gradient reaches it.
};

/// Finds the LiveGraph by walking from the results towards the inputs.
class GraphWalk {
public:
    /// `graph` has the results, whose creators are nodes of `follower`'s call, and nothing else.
    void run(const Follower& follower, LiveGraph& graph);
    /// Of the latest graph's border: the edge that leads to `leaf`; -1: none.
    int number_of(const VariableBody& leaf);

private:
    void visit(const Follower& follower, const Node& root, LiveGraph& graph);
    PointerTable outside_;
    std::vector<char> seen_;
    std::vector<const Node*> waiting_;
};

/// The data needed to create one node of such a graph again.
struct NodeRecord {
    struct Target {
        enum : uint8_t { nowhere, inside, outside } where = nowhere;
        int number = 0;  ///< Among GraphEnd::nodes, or the edges of the border.
        int index = 0;   ///< Output of the node inside.
    };
    const OpDef* op = nullptr;
    Attributes attributes;
    SourceLoc location;
    std::vector<int> scalars;                         ///< Slots of the forward program.
    std::vector<Target> targets;                      ///< One for each input.
    std::span<const Type> input_types, output_types;  ///< In the tree.
    std::vector<int> kept_inputs,
        kept_outputs;  ///< Values of the forward program; -1: not kept, -2: computed elsewhere.
};

/// The backward program of one such graph for gradients of some of its results, recorded when it
/// was first needed.
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
    AskedMask asked;                       ///< The results of which it takes gradients.
    std::shared_ptr<AskedResults> latest;  ///< One for all of this shape.
    std::vector<bool> zero_is_none;  ///< By result: to the gradient of the operation that gave it a
                                     ///< zero is what no gradient is.
    std::vector<std::pair<int, double>> numbers;  ///< Forward scalars whose value was used while
                                                  ///< the gradients were recorded.
    std::string name;                             ///< The region's.
    PackedTrace forward;                          ///< Its outputs: the results.
    std::vector<int> inputs, outputs;             ///< Values: its.
    PackedTrace backward;         ///< Inputs: kept values, extras, gradients of the asked results.
    size_t backward_outputs = 0;  ///< It gives so many,
    std::vector<Ref<VariableBody>> assigned;  ///< and then the new contents of these states.
    std::vector<int> kept;                    ///< Values of the forward program,
    std::vector<Extra> extras;
    std::vector<Number> scalars;  ///< The scalars of `backward`.
    std::vector<int>
        gradients;  ///< Output of `backward` for each edge of the border, -1: nothing flows.
    Reach reach;
    std::vector<NodeRecord> nodes;             ///< In the order of their creation,
    std::vector<int> walk_order;               ///< and the order of GraphWalk.
    std::vector<std::pair<int, int>> results;  ///< For each result its node and output index.
    /// For each edge of the border the line of the last operation that reads what it leads to: the
    /// first whose gradient comes there.
    std::vector<SourceLoc> border_locations;
    std::atomic<GraphEnd*> sibling{nullptr};

    mutable std::mutex mutex;  ///< Guards the members below.
    mutable std::shared_ptr<const Trace>
        unpacked_backward;  ///< Where it is interpreted, or KnownSizes knows it.
    mutable std::shared_ptr<Executable> executable;
    mutable double compile_seconds = 0;

    bool fits(const LiveGraph& live, std::span<const double> scalars) const;
    /// Whether it computes the gradients that eager code would from `gy`, undefined ones among
    /// them: a zero in the place of one must reach nothing that the others do not, since 0 times
    /// inf is NaN, and the work would be for nothing.
    bool serves(std::span<const Variable> gy) const;
    bool may_be_zero(int result, std::span<const Variable> gy) const;
    /// Unpacked, or the one that there is. The mutex must be held.
    std::shared_ptr<const Trace> backward_trace() const;
    size_t bytes() const;
};

/// Records the backward program of `live` for gradients of the asked results, on shapes only.
std::unique_ptr<GraphEnd> record_graph(const Follower& follower, const LiveGraph& live,
                                       const AskedMask& asked);

}  // namespace catena::capture
