#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "frontend/capture/pointer_table.h"
#include "runtime/executable.h"
#include "runtime/graph/node.h"
#include "runtime/graph/trace.h"
#include "runtime/graph/variable.h"

namespace catena::capture {

class Follower;

/// What is alive of the graph that a region's code made, when the code has returned.
struct LiveGraph {
    std::vector<Variable> results;   ///< Variables that somebody holds and that have a creator in the graph.
    std::vector<Edge> border;        ///< Where gradients leave the region, each once,
    std::vector<Type> border_types;  ///< and the types of the values there.
    /// Graphs of one path are the same when these words are: nodes by the step that made them, their edges, results by value.
    std::vector<int64_t> shape;
};

/// Finds it by walking down from the results.
class GraphWalk {
public:
    void run(const Follower& follower, std::vector<Variable> results, LiveGraph& graph);

private:
    void visit(const Follower& follower, const Node& root, LiveGraph& graph);
    PointerTable outside_;
    std::vector<char> seen_;
    std::vector<const Node*> waiting_;
};

/// The backward program of one such graph, recorded when it was first seen.
struct GraphEnd {
    /// A number of the backward program: of the forward one, of a cell, or neither.
    struct Number {
        int slot = -1;
        Ref<Cell::Body> cell;
        double value = 0;
    };
    /// What only the backward program reads.
    struct Extra {
        Ref<VariableBody> state;
        Array constant;
    };
    std::vector<int64_t> shape;
    std::vector<std::pair<int, double>> numbers;  ///< Slots that the gradients computed with while they were recorded.
    Trace forward;                     ///< Its outputs: the results.
    Trace backward;                    ///< Inputs: kept values, extras, gradients of the results.
    std::vector<int> kept;             ///< Values of the forward program,
    std::vector<Extra> extras;
    std::vector<Number> scalars;       ///< Of `backward`.
    std::vector<int> gradients;        ///< Output of `backward` for each edge of the border, -1: nothing flows.
    std::vector<int> border_values;    ///< The input of `forward` that is an edge's variable, -1: not one alone.
    std::vector<uint64_t> results_below;  ///< See Node.
    std::vector<uint64_t> border_reached; ///< For each edge of the border: bit i says that result i reaches it.
    std::atomic<GraphEnd*> sibling{nullptr};

    mutable std::mutex mutex;          ///< Of the two below.
    mutable std::shared_ptr<Executable> executable;
    mutable double compile_seconds = 0;

    bool fits(std::span<const double> scalars) const;
    size_t bytes() const;
};

/// Records the backward program of `live`, on shapes only.
std::unique_ptr<GraphEnd> record_graph(const Follower& follower, const LiveGraph& live);

}  // namespace catena::capture
