#include "frontend/capture/activation.h"

#include <chrono>

#include "codegen/compiler.h"
#include "frontend/capture/program.h"
#include "frontend/capture/trace_interpreter.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/gradient.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/tracer.h"
#include "runtime/ops/arithmetic.h"

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
    for (const auto& [slot, cell] : a.cells) present[size_t(slot)] = cell->value;
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

/// The forward program once more, through apply(), so that what comes out can be differentiated again.
Variables differentiable_gradient(Activation& a, Node& node, std::span<const Variable> gy) {
    auto mode = force_backprop_mode();
    Trace forward = a.graph->forward;
    for (size_t s = 0; s < forward.scalars.size(); ++s) forward.scalars[s] = {a.scalars[s], {}};
    std::vector<Variable> inputs, targets;
    for (const Array& x : a.inputs) inputs.emplace_back(x, false);
    for (size_t t = 0; t < node.edges.size(); ++t) {
        const int v = a.graph->border_values[t];
        const auto place = std::find(forward.inputs.begin(), forward.inputs.end(), v);
        if (place == forward.inputs.end())
            fail<TraceError>("backward: static_graph {} cannot be differentiated twice, or from inside another region, because two "
                             "variables share an array that it reads (or one changed meanwhile); give each its own",
                             forward.name);
        Variable& x = inputs[size_t(place - forward.inputs.begin())];
        x = reconstruct(x.array(), node.edges[t]);
        targets.push_back(x);
    }
    Variables outputs = replay(forward, inputs);
    std::vector<Variable> results, starts;
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].requires_grad()) continue;
        results.push_back(outputs[i]);
        starts.push_back(gy[i].defined() ? gy[i] : fill(outputs[i].type(), 0));
    }
    return grad(results, targets, starts, {.enable_double_backprop = true});
}

Variables gradient(Activation& a, Node& node, std::span<const Variable> gy) {
    check_computed(a);
    if (config().enable_backprop || current_recorder()) return differentiable_gradient(a, node, gy);
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
    uint64_t given = 0;
    for (size_t i = 0; i < gy.size(); ++i) given |= uint64_t(gy[i].defined()) << std::min<size_t>(i, 63);
    for (size_t t = 0; t < graph.gradients.size(); ++t) {
        const int o = graph.gradients[t];
        gx.push_back(o < 0 || !(graph.border_reached[t] & given) ? Variable() : Variable(outputs[size_t(o)], false));
    }
    return gx;
}

}  // namespace

const OpDef& region_op() { return op_region; }

void attach_activation(const std::shared_ptr<Activation>& activation, const LiveGraph& live) {
    Node* node = attach_region(op_region, live.border, live.border_types, live.results,
                               [activation](Node& node, std::span<const Variable> gy) { return gradient(*activation, node, gy); });
    node->results_below = &activation->graph->results_below;
}

}  // namespace catena::capture
