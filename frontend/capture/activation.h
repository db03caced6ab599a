#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/graph_end.h"
#include "frontend/capture/path.h"

namespace catena::capture {

/// What one call keeps for a backward() outside the region: the gradient of the graph node that
/// replaces the call's nodes. Its arrays are freed by a backward, the rest with the results.
class Activation final : public RegionGradient {
public:
    Activation(std::shared_ptr<Tree> of, const GraphEnd& end) : graph(end), tree(std::move(of)) {}

    const GraphEnd& graph;
    std::shared_ptr<Program> program;  ///< Null until the call has been computed.
    SmallVector<Array, 32> inputs;     ///< The inputs of GraphEnd::forward.
    /// Of inputs that are copies, because somebody outside may write to the memory of the original
    /// (WatchedInputs): which, and the original, which a gradient of eager code would read.
    std::vector<std::pair<int, Array>> originals;
    /// The values GraphEnd::kept; empty after a backward. If is_joint: the results of the forward
    /// part that the backward part of the program reads, and what it has saved.
    SmallVector<Array, 32> kept;
    bool is_joint = false;
    bool verifies = false;  ///< Backward is computed by the eager kernels as well, and compared.
    SmallVector<double, 32>
        joint_scalars;                ///< Those of the whole program, as forward has read them.
    SmallVector<double, 16> scalars;  ///< Scalars of the forward program,
    SmallVector<std::pair<int, Scalar>, 4>
        cells;  ///< those that are cells: backward reads them again.

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
        return graph.border_locations[size_t(edge)];
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
    const std::shared_ptr<Tree> tree;  ///< Owns the graph.
};

/// The op of the node that represents a compiled region in the graph.
const OpDef& region_op();

}  // namespace catena::capture
