#include "runtime/graph/walk/backward.h"

#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/node/unchain.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient_listener.h"
#include "runtime/graph/walk/leaf_sinks.h"
#include "runtime/graph/walk/remembering_sink.h"
#include "runtime/graph/walk/untrained.h"

namespace catena {

void check_has_graph(const VariableBody& output, const SourceLoc& at) {
    if (output.creator || output.requires_grad) return;
    const LocationScope scope(at);
    const std::string ended =
        output.ended_at
            ? fmt::format("it was computed by {}, which has no gradient", output.ended_at->name)
            : "nothing that it was computed from requires a gradient";
    fail<ValueError>(
        "backward: this {} has no graph: {}. Parameters require one, and a Variable that is made "
        "of "
        "an array, as Variable(array); an array that is passed as it is does not, nor what is "
        "computed in no_backprop_mode()",
        output.array.defined() ? to_string(output.array.type()) : "variable", ended);
}

void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options) {
    auto mode = using_config(&Config::enable_backprop, options.enable_double_backprop);
    const AutocastScope no_casting(Dtype::float32);
    const WalkRequest request{.outputs = outputs, .starts = grad_outputs, .into_leaves = true};
    Variables none;
    WalkMemory* memory = walk_memory(options.retain_grad, options.enable_double_backprop);
    if (memory && memory->repeat(request, none)) return;
    forget_untrained_parameters();
    if (gradients_are_recorded()) expand_regions_below(outputs);
    WalkScratches scratches;
    LeafSink leaves(scratches);
    if (memory) {
        RememberingSink remembering(leaves, *memory);
        walk(request, remembering, false);
        memory->ended({});
    } else if (GradientListener* const told = gradient_listener()) {
        CountingSink counting(scratches, *told, outputs);
        walk(request, counting, options.retain_grad);
    } else {
        walk(request, leaves, options.retain_grad);
    }
}

void Variable::backward(const BackwardOptions& options, Caller at) const try {
    check_has_graph(there("backward", at), at);
    const DeviceScope beside(device());  // For arrays that gradients create.
    Variable start = grad_variable();
    if (!start.defined()) {
        if (size() != 1) {
            const LocationScope scope(at);
            fail<ValueError>(
                "backward: a variable of {} needs a gradient set first; only size 1 has a default",
                to_string(type()));
        }
        start = fill(type(), options.loss_scale);
    }
    if (!body_->creator) return set_grad_variable(start);
    run_backward(std::span(this, 1), std::span(&start, 1), options);
    if (!options.retain_grad) cleargrad();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("backward");
}

VariableList::VariableList(std::initializer_list<Variable> variables)
    : span(variables.begin(), variables.size()) {}

void backward(const VariableList& outputs, const VariableList& grad_outputs,
              bool enable_double_backprop) try {
    if (!grad_outputs.empty() && grad_outputs.size() != outputs.size())
        fail<ValueError>("backward: {} outputs have {} grad_outputs; give one for each, or none",
                         outputs.size(), grad_outputs.size());
    std::vector<Variable> starts;
    for (size_t i = 0; i < outputs.size(); ++i) {
        starts.push_back(grad_outputs.empty() ? outputs[i].grad_variable() : grad_outputs[i]);
        if (!starts.back().defined())
            fail<ValueError>("backward: output {} ({}) has no gradient", i,
                             to_string(outputs[i].type()));
    }
    for (const Variable& output : outputs) check_has_graph(*output.body(), known_location());
    run_backward(outputs, starts, {.enable_double_backprop = enable_double_backprop});
    for (const Variable& output : outputs)
        if (output.body()->creator) output.cleargrad();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("backward");
}

}  // namespace catena
