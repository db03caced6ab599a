#include "frontend/capture/activation.h"

#include <algorithm>
#include <chrono>

#include "codegen/compiler.h"
#include "frontend/capture/program.h"
#include "frontend/capture/trace_interpreter.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/forget_location.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"

namespace catena::capture {
namespace {

const OpDef& define_region_op() {
    OpDef op;
    op.name = "compiled_region";
    op.gradient = [](const GradientCall&) -> Variables { throw InternalError("static_graph: nodes have their own gradient"); };
    return register_op(std::move(op));
}
const OpDef& op_region = define_region_op();

std::vector<double> backward_scalars(const Activation& a) {
    std::vector<double> present = a.scalars, values;
    for (const auto& [slot, cell] : a.cells) present[size_t(slot)] = cell.present();
    for (const GraphEnd::Number& n : a.graph->scalars)
        values.push_back(n.cell ? n.cell->value : n.slot >= 0 ? present[size_t(n.slot)] : n.value);
    return values;
}

Executable* compiled_backward(const Activation& a) {
    if (!compiler_available() || config().debug || a.program->device().is_meta()) return nullptr;
    std::lock_guard lock(a.graph->mutex);
    if (!a.graph->executable) {
        const auto start = std::chrono::steady_clock::now();
        a.graph->executable =
            compiler().compile(a.graph->backward, {.fast_math = a.program->fast_math(), .device = &a.program->device()});
        a.graph->compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return a.graph->executable.get();
}

void check_computed(const Activation& a) {
    if (!a.program)
        fail<TraceError>("backward: the call of static_graph {} that made this result ended with an error",
                         a.graph->forward.name);
}

/// The values that the nodes of single operations keep, computed once more.
std::vector<Array> kept_by_nodes(const Activation& a) {
    Trace forward = a.graph->forward;
    for (const Trace::Step& step : forward.steps)
        if (step.attributes.has("communicator"))
            fail<TraceError>("backward: static_graph {} sends messages, which cannot be sent once more to take its gradient in another "
                             "region, twice, or only for some of its results; do that inside the region",
                             forward.name);
    forward.outputs.clear();
    for (const NodeRecord& node : a.graph->nodes)
        for (const auto* kept : {&node.kept_inputs, &node.kept_outputs})
            for (int v : *kept)
                if (v >= 0) forward.outputs.push_back(v);
    std::vector<Array> values(forward.values.size()), outputs(forward.outputs.size());
    const RecorderScope unseen(nullptr);
    const ForgetLocation steps_name_theirs;
    interpret_trace(forward, a.inputs, a.scalars, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) values[size_t(forward.outputs[i])] = std::move(outputs[i]);
    return values;
}

std::vector<Edge> expand(const Activation& a, const Node& region) {
    check_computed(a);
    const std::vector<Array> values = kept_by_nodes(a);
    auto kept = [&](int v) {
        if (v == -2)
            fail<TraceError>("backward: static_graph {} cannot take its gradient in another region, twice, or only for some of its "
                             "results, because an operation keeps an array that it does not compute with",
                             a.graph->forward.name);
        return v < 0 ? Array() : values[size_t(v)];
    };
    std::vector<Ref<Node>> nodes;
    for (const NodeRecord& record : a.graph->nodes) {
        Ref<Node> node = make_node(*record.op);
        node->attributes = record.attributes;
        node->location = record.location;
        node->rank = region.rank;  // Among these the order in which they were made counts.
        for (int slot : record.scalars) {
            const auto cell = std::find_if(a.cells.begin(), a.cells.end(), [&](const auto& c) { return c.first == slot; });
            node->scalars.push_back(cell == a.cells.end() ? Scalar(a.scalars[size_t(slot)]) : cell->second);
        }
        for (const NodeRecord::Target& t : record.targets)
            node->edges.push_back(t.where == NodeRecord::Target::nowhere  ? Edge{}
                                  : t.where == NodeRecord::Target::inside ? Edge{.node = nodes[size_t(t.number)], .index = t.index}
                                                                          : region.edges[size_t(t.number)]);
        node->input_types = record.input_types;
        node->output_types = record.output_types;
        node->outputs.resize(record.output_types.size());
        for (int v : record.kept_inputs) node->kept_inputs.push_back(kept(v));
        for (int v : record.kept_outputs) node->kept_outputs.push_back(kept(v));
        nodes.push_back(std::move(node));
    }
    std::vector<Edge> edges;
    for (const auto& [node, output] : a.graph->results) edges.push_back({.node = nodes[size_t(node)], .index = output});
    return edges;
}

Variables gradient(Activation& a, Node& node, std::span<const Variable> gy) {
    check_computed(a);
    const GraphEnd& graph = *a.graph;
    if (a.kept.empty() && !graph.kept.empty()) a.program->compute_kept(a);  // A second backward.
    std::vector<Array> inputs = std::move(a.kept);
    a.kept.clear();
    for (const GraphEnd::Extra& extra : graph.extras) inputs.push_back(extra.state ? extra.state->array : extra.constant);
    for (size_t i = 0; i < gy.size(); ++i)
        inputs.push_back(gy[i].defined() ? gy[i].array().as_contiguous() : Array::zeros(node.output_types[i]));
    std::vector<Array> outputs(graph.backward.outputs.size() + graph.backward.assigns.size());
    const std::vector<double> scalars = backward_scalars(a);
    if (Executable* compiled = compiled_backward(a)) {
        std::vector<char> donated(inputs.size());
        compiled->run(inputs, scalars, {reinterpret_cast<const bool*>(donated.data()), donated.size()}, outputs);
    } else {
        interpret_trace(graph.backward, std::move(inputs), scalars, outputs);
    }
    for (size_t i = 0; i < graph.backward.assigns.size(); ++i)
        bind_state(*graph.backward.values[size_t(graph.backward.assigns[i].target)].state,
                   outputs[graph.backward.outputs.size() + i]);
    Variables gx;
    for (size_t t = 0; t < graph.gradients.size(); ++t) {
        bool flows = false;
        for (size_t i = 0; i < gy.size() && graph.gradients[t] >= 0; ++i) flows |= gy[i].defined() && graph.reach.border(int(i), int(t));
        gx.push_back(flows ? Variable(outputs[size_t(graph.gradients[t])], false) : Variable());
    }
    return gx;
}

class CompiledGradient final : public RegionGradient {
public:
    explicit CompiledGradient(std::shared_ptr<Activation> activation) : activation_(std::move(activation)) {}
    Variables gradient(Node& node, std::span<const Variable> gy) override { return capture::gradient(*activation_, node, gy); }
    std::vector<Edge> expand(Node& node) override { return capture::expand(*activation_, node); }
    bool is_expandable() const override { return activation_->program != nullptr; }
    bool is_computed_from(int output, int other) const override { return activation_->graph->reach.result(output, other); }
    bool reaches(int output, int edge) const override { return activation_->graph->reach.border(output, edge); }

private:
    const std::shared_ptr<Activation> activation_;
};

}  // namespace

const OpDef& region_op() { return op_region; }

void attach_activation(const std::shared_ptr<Activation>& activation, const LiveGraph& live) {
    attach_region(op_region, live.border, live.border_types, live.results, std::make_unique<CompiledGradient>(activation));
}

}  // namespace catena::capture
