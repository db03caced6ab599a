#include "runtime/ops/custom/forget.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "runtime/core/error.h"
#include "runtime/graph/backward.h"
#include "runtime/graph/config.h"
#include "runtime/graph/node.h"
#include "runtime/graph/recomputing.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

const OpDef& op_forget = register_op({
    .name = "forget",
    .input_count = -1,
    .output_count = -1,
    // Its nodes have a RegionGradient instead.
    .gradient = [](const GradientCall&) -> Variables { throw InternalError("forget: a node without its function"); },
});

/// The edges by which a graph leaves the nodes that were made from `first` on.
struct Border {
    std::vector<Edge> edges;
    std::vector<Type> types;

    Border(std::span<const Variable> ys, uint64_t first) : first_(first) {
        for (const Variable& y : ys) follow(edge_of(y), y.type());
        while (!waiting_.empty()) {
            const Node* node = waiting_.back();
            waiting_.pop_back();
            for (size_t i = 0; i < node->edges.size(); ++i) follow(node->edges[i], node->input_types[i]);
        }
    }

private:
    void follow(const Edge& edge, const Type& type) {
        if (!edge.wanted()) return;
        if (edge.node && edge.node->sequence >= first_) {
            if (seen_.insert(edge.node.get()).second) waiting_.push_back(edge.node.get());
            return;
        }
        const bool is_known = std::any_of(edges.begin(), edges.end(), [&](const Edge& other) {
            return other.leaf == edge.leaf && other.node == edge.node && (edge.leaf || other.index == edge.index);
        });
        if (is_known) return;
        edges.push_back(edge);
        types.push_back(type);
    }

    uint64_t first_;
    std::vector<const Node*> waiting_;
    std::unordered_set<const Node*> seen_;
};

/// The settings and the random numbers of an earlier call, until the scope ends.
class EarlierCall {
public:
    EarlierCall(const Config& config, const Array& random) : now_(mutable_config()), random_(random_state().array()) {
        mutable_config() = config;
        mutable_config().enable_backprop = true;
        assign(random_state(), Variable(random, false));
    }
    ~EarlierCall() {
        mutable_config() = now_;
        assign(random_state(), Variable(random_, false));
    }
    EarlierCall(const EarlierCall&) = delete;

private:
    Config now_;
    Array random_;
    RecomputingScope recomputing_;
};

/// Calls the function again for its gradient.
class Recomputed final : public RegionGradient {
public:
    Recomputed(ForgettableFunction f, std::span<const Variable> xs, Array random)
        : f_(std::move(f)), config_(config()), random_(std::move(random)) {
        for (const Variable& x : xs) {
            arrays_.push_back(x.defined() ? x.array() : Array());
            edges_.push_back(edge_of(x));
        }
    }

    Variables gradient(Node& node, std::span<const Variable> gy) override {
        const Variables ys = run_again(node);
        std::vector<Variable> outputs, starts;
        for (size_t i = 0; i < ys.size(); ++i) {
            if (!gy[i].defined() || !ys[i].requires_grad()) continue;
            outputs.push_back(ys[i]);
            starts.push_back(gy[i]);
        }
        return gradients_at_border(outputs, std::span<const Edge>(node.edges.begin(), node.edges.size()), starts);
    }

    std::vector<Edge> expand(Node& node) override {
        std::vector<Edge> edges;
        for (const Variable& y : run_again(node)) edges.push_back(edge_of(y));
        return edges;
    }

private:
    Variables run_again(const Node& node) const {
        std::vector<Variable> xs;
        for (size_t i = 0; i < arrays_.size(); ++i)
            xs.push_back(arrays_[i].defined() ? reconstruct(arrays_[i], edges_[i]) : Variable());
        const EarlierCall earlier(config_, random_);
        Variables ys = f_(xs);
        if (ys.size() != node.output_types.size())
            fail<ValueError>("forget: the function gives {} results in backward, it gave {} before", ys.size(),
                             node.output_types.size());
        for (size_t i = 0; i < ys.size(); ++i)
            if (!(ys[i].type() == node.output_types[i]))
                fail<ValueError>("forget: result {} of the function is {} in backward, it was {} before", i,
                                 to_string(ys[i].type()), to_string(node.output_types[i]));
        return ys;
    }

    ForgettableFunction f_;
    Config config_;
    Array random_;
    std::vector<Array> arrays_;
    std::vector<Edge> edges_;
};

}  // namespace

Variables forget(const ForgettableFunction& f, std::span<const Variable> xs, const std::source_location& at) {
    LocationScope location(at);
    if (!config().enable_backprop || current_recorder()) return f(xs);
    const uint64_t first = make_node(op_forget)->sequence;
    Array random = random_state().array();
    const Variables inner = f(xs);
    const Border border(std::span<const Variable>(inner.begin(), inner.size()), first);
    if (border.edges.empty()) return inner;
    std::vector<Variable> ys;  // New ones, as f may have returned one of its inputs.
    for (const Variable& y : inner) ys.emplace_back(y.array(), false);
    attach_region(op_forget, border.edges, border.types, ys, std::make_unique<Recomputed>(f, xs, std::move(random)));
    Variables results;
    for (Variable& y : ys) results.push_back(std::move(y));
    return results;
}

}  // namespace catena
