#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/node/unchain.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/backward.h"
#include "runtime/graph/walk/remembering_sink.h"
#include "runtime/graph/walk/target_sink.h"

namespace catena {
namespace {

bool is_inner_result(const Edge& edge) {
    if (!edge.node || !edge.node->region) return false;
    for (size_t i = 0; i < edge.node->outputs.size(); ++i)
        if (int(i) != edge.index && edge.node->region->is_computed_from(int(i), edge.index))
            return true;
    return false;
}

/// Adds the gradients that the inputs begin with.
void add_first(const VariableList& inputs, const std::vector<Variable>& first, Variables& results) {
    for (size_t i = 0; i < first.size(); ++i) {
        if (!first[i].defined()) continue;
        if (!(first[i].type() == inputs[i].type()))
            fail<ShapeError>("grad: input {} is {}, its grad_input {}; they should be alike", i,
                             to_string(inputs[i].type()), to_string(first[i].type()));
        results[i] = results[i].defined() ? first[i] + results[i] : first[i];
    }
}

Variables gradients_of(const WalkRequest& request, const GradOptions& options) {
    Variables results;
    WalkMemory* memory = walk_memory(options.retain_grad, options.enable_double_backprop);
    if (memory && memory->repeat(request, results)) return results;
    WalkScratches scratches;
    TargetSink sink(scratches, request);
    if (!memory) {
        walk(request, sink, options.retain_grad);
        return sink.take();
    }
    RememberingSink remembering(sink, *memory);
    walk(request, remembering, false);
    results = sink.take();
    memory->ended(results);
    return results;
}

Variables grad_from(const VariableList& outputs, const VariableList& inputs,
                    const VariableList& grad_outputs, const GradOptions& options,
                    bool inputs_are_border) {
    if (!options.grad_inputs.empty() && options.grad_inputs.size() != inputs.size())
        fail<ValueError>("grad: {} inputs have {} grad_inputs; give one for each, or none",
                         inputs.size(), options.grad_inputs.size());
    if (!grad_outputs.empty() && grad_outputs.size() != outputs.size())
        fail<ValueError>("grad: {} outputs have {} grad_outputs; give one for each, or none",
                         outputs.size(), grad_outputs.size());
    auto mode = using_config(&Config::enable_backprop, options.enable_double_backprop);
    const AutocastScope no_casting(Dtype::float32);
    const DeviceScope beside(outputs.empty() ? current_device() : outputs[0].device());
    if (gradients_are_recorded() || options.retain_grad) expand_regions_below(outputs);
    SmallVector<Edge, 4> targets;
    for (const Variable& input : inputs)
        if (const Edge edge = edge_of(input); is_inner_result(edge)) expand_region(*edge.node);
    for (const Variable& input : inputs) targets.push_back(edge_of(input));
    SmallVector<Variable, 4> starts;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Variable start = grad_outputs.empty() ? Variable() : grad_outputs[i];
        if (start.defined() && !(start.type() == outputs[i].type()))
            fail<ShapeError>("grad: output {} is {}, its grad_output {}; they should be alike", i,
                             to_string(outputs[i].type()), to_string(start.type()));
        starts.push_back(start.defined() ? start : fill(outputs[i].type(), options.loss_scale));
    }
    Variables results = gradients_of({.outputs = outputs,
                                      .starts = starts,
                                      .targets = targets,
                                      .targets_are_border = inputs_are_border},
                                     options);
    add_first(inputs, options.grad_inputs, results);
    if (options.set_grad)
        for (size_t i = 0; i < inputs.size(); ++i) inputs[i].set_grad_variable(results[i]);
    return results;
}

}  // namespace

Variables grad(const VariableList& outputs, const VariableList& inputs,
               const VariableList& grad_outputs, const GradOptions& options) try {
    return grad_from(outputs, inputs, grad_outputs, options, false);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("grad");
}

Variables grad_inside(std::span<const Variable> outputs, std::span<const Variable> inputs,
                      std::span<const Variable> grad_outputs, bool enable_double_backprop) {
    return grad_from(outputs, inputs, grad_outputs,
                     {.enable_double_backprop = enable_double_backprop}, true);
}

Variables gradients_at_border(std::span<const Variable> outputs, std::span<const Edge> border,
                              std::span<const Variable> grad_outputs) {
    auto mode = no_backprop_mode();
    const AutocastScope no_casting(Dtype::float32);
    const DeviceScope beside(outputs.empty() ? current_device() : outputs[0].device());
    const WalkRequest request{
        .outputs = outputs, .starts = grad_outputs, .targets = border, .targets_are_border = true};
    WalkScratches scratches;
    TargetSink sink(scratches, request);
    walk(request, sink, false);
    return sink.take();
}

}  // namespace catena
