#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/graph/graph_end.h"
#include "frontend/capture/path/path.h"

namespace catena::capture {

/// The arrays and numbers that one call keeps for a backward() outside the region, and the gradient
/// of the graph node that replaces the call's nodes. A backward frees the arrays; the rest goes
/// with the results.
class Activation final : public RegionGradient {
public:
    Activation(std::shared_ptr<Tree> of, const GraphEnd& end) : graph(end), tree(std::move(of)) {}

    const GraphEnd& graph;
    /// The program of the call; null until it has been computed.
    std::shared_ptr<Program> program;
    SmallVector<Array, 32> inputs;  ///< The inputs of GraphEnd::forward.
    /// Inputs that were copied because somebody outside may write to the original's memory
    /// (WatchedInputs): the input's index, and the original, which an eager gradient would read.
    std::vector<std::pair<int, Array>> originals;
    /// The values of BackwardProgram::kept; empty after a backward. If is_joint: the results of the
    /// forward part that the backward part reads, and the block of bytes that it has saved.
    SmallVector<Array, 32> kept;
    bool is_joint = false;
    /// Whether backward is also computed by the eager kernels, and compared.
    bool verifies = false;
    /// The scalars of the whole joint program, with the values that forward has read.
    SmallVector<double, 32> joint_scalars;
    SmallVector<double, 16> scalars;  ///< The scalars of the forward program.
    /// Scalars that are cells, by slot: backward reads them again.
    SmallVector<std::pair<int, Scalar>, 4> cells;

    static void* operator new(size_t bytes);
    static void operator delete(void* activation);

    Variables gradient(Node& node, std::span<const Variable> gy) override;
    bool serves(std::span<const Variable> gy) override;
    std::vector<Edge> expand(Node& node) override;
    bool is_expandable() const override { return program != nullptr; }
    bool is_computed_from(int output, int other) const override {
        return graph.reach.result(output, other);
    }
    bool history_holds(int output, int other) const override {
        return graph.reach.creator(output, other);
    }
    bool reaches(int output, int edge) const override { return graph.reach.border(output, edge); }
    SourceLoc location_of(int edge, const SourceLoc&) const override {
        return graph.nodes.border_locations[size_t(edge)];
    }

private:
    void check_computed() const;
    bool has_forward_numbers(std::span<const double> numbers) const;
    void run_joint(SmallVector<Array, 32>& given, std::span<Array> outputs);
    SmallVector<Array, 32> given_to_backward(const Node& node, std::span<const Variable> gy,
                                             bool with_kept) const;
    bool can_expand() const;
    bool can_verify() const;
    void verify_joint(std::span<const Array> given, std::span<const Array> gradients) const;
    SmallVector<double, 32> backward_scalars() const;
    std::vector<Array> kept_by_nodes() const;
    bool has_been_written() const;
    Array shown_now(const Trace& forward, int v) const;
    const std::shared_ptr<Tree> tree;  ///< The tree of paths, which owns the graph.
};

/// The op of the node that represents a compiled region in the graph.
const OpDef& region_op();

}  // namespace catena::capture
