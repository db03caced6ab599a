#include "frontend/recorded_graph/recorded_graph.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/variable/variable_body.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

using Role = Trace::Role;

bool is_random_state(const Trace::Value& value) {
    return value.state.get() == random_state().body();
}

}  // namespace

RecordedGraph::RecordedGraph(const Recording& recording, const RecordingOptions& options)
    : recording_(recording), trace_(recording.trace), options_(options), graph_(options.opset) {
    id_of_.assign(trace_.values.size(), -1);
    find_changed_states();
    add_inputs();
    for (size_t s = 0; s < trace_.steps.size(); ++s) add_step(s);
    add_outputs();
}

void RecordedGraph::find_changed_states() {
    for (const Trace::Assign& assign : trace_.assigns)
        if (!is_random_state(trace_.values[size_t(assign.target)])) changed_.insert(assign.target);
}

std::string RecordedGraph::unique(std::string name) {
    if (name.starts_with('/')) name.erase(0, 1);
    if (name.empty()) name = "constant";
    std::string result = name;
    for (int n = 1; !taken_.insert(result).second; ++n) result = name + "_" + std::to_string(n);
    return result;
}

void RecordedGraph::add_inputs() {
    for (int v : trace_.inputs)
        if (trace_.values[size_t(v)].role == Role::argument)
            add_port(v, trace_.values[size_t(v)].name);
    for (int v : trace_.inputs) {
        const Trace::Value& value = trace_.values[size_t(v)];
        if (value.role == Role::argument) continue;
        if (changed_.contains(v)) {
            if (is_read(trace_, v)) add_port(v, value.name);
            continue;
        }
        const Array array = value.role == Role::captured ? value.captured : content_of(value);
        id_of_[size_t(v)] = graph_.constant(array);
        names_[id_of_[size_t(v)]] = unique(value.name);
    }
    add_open_sizes();
    locations_.resize(graph_.nodes().size());
}

void RecordedGraph::add_open_sizes() {
    std::vector<int> open;
    for (const OpenSize& place : recording_.open_at) {
        const int shape = graph_.node("Shape", {inputs_[size_t(place.input)].id});
        const int64_t axis = place.axis;
        open.push_back(
            graph_.node("Gather", {shape, graph_.integers(std::span(&axis, 1))}, {{"axis", 0}}));
    }
    for (const auto& product : recording_.products) {
        open.push_back(product ? graph_.node("Mul", {open[product->first], open[product->second]})
                               : graph_.add_value());
        if (!product) not_computed_.insert(open.back());
    }
    for (int value : open) graph_.add_open_size(value);
}

/// Nodes from `first` on must not read open sizes that no node computes.
void RecordedGraph::check_sizes(const Trace::Step& step, size_t first) const {
    for (size_t n = first; n < graph_.nodes().size(); ++n)
        for (int v : graph_.nodes()[n].inputs)
            if (not_computed_.contains(v))
                fail<ValueError>(
                    "{}: {} needs a size that is neither an affine function of the open "
                    "sizes nor a product of two; give "
                    "one of them",
                    options_.who, step.op->name);
}

Array RecordedGraph::content_of(const Trace::Value& value) const {
    if (value.role == Role::gradient)
        fail<ValueError>("{}: the model reads the gradient of '{}', which cannot be saved",
                         options_.who, value.name);
    return value.state->array;
}

void RecordedGraph::add_port(int value, const std::string& name) {
    const int id = graph_.add_value();
    id_of_[size_t(value)] = id;
    names_[id] = unique(name);
    inputs_.push_back({id, value});
}

std::vector<OnnxCall::Value> RecordedGraph::describe(const std::vector<int>& values) const {
    std::vector<OnnxCall::Value> result;
    for (int v : values)
        result.push_back(
            {id_of_[size_t(v)], trace_.values[size_t(v)].type.dtype, recording_.shapes[size_t(v)]});
    return result;
}

const OpDef& RecordedGraph::with_converter(const OpDef& op) {
    const auto converter = options_.converters.find(op.name);
    if (converter == options_.converters.end()) return op;
    const auto [found, is_new] = converted_.emplace(op.name, op);
    if (is_new) found->second.onnx = converter->second;
    return found->second;
}

/// Whether a step follows from parameters alone; random numbers do not.
bool RecordedGraph::is_constant(const Trace::Step& step) const {
    return std::all_of(step.inputs.begin(), step.inputs.end(), [&](int v) {
        const int id = id_of_[size_t(v)];
        return id >= 0 && graph_.constants().contains(id) &&
               !is_random_state(trace_.values[size_t(v)]);
    });
}

/// Computes the step and makes its results constants, called like its first input.
void RecordedGraph::fold(const Trace::Step& step) {
    const RecorderScope aside(nullptr);
    const auto no_graph = no_backprop_mode();
    std::vector<Variable> inputs;
    for (int v : step.inputs) inputs.emplace_back(graph_.constants().at(id_of_[size_t(v)]), false);
    std::vector<const Variable*> list;
    for (const Variable& x : inputs) list.push_back(&x);
    std::vector<Scalar> scalars;
    for (int i : step.scalars) scalars.emplace_back(trace_.scalars[size_t(i)].value);
    const Variables results = apply(*step.op, list, step.location, step.attributes, scalars);
    const std::string name = step.inputs.empty() ? "" : name_of(id_of_[size_t(step.inputs[0])]);
    for (size_t i = 0; i < results.size(); ++i) {
        const int id = graph_.constant(results[i].array());
        id_of_[size_t(step.outputs[i])] = id;
        names_[id] = unique(name);
    }
}

void RecordedGraph::add_step(size_t s) {
    const Trace::Step& step = trace_.steps[s];
    LocationScope location(step.location);
    if (options_.fold_constants && is_constant(step)) return fold(step);
    OnnxCall call{with_converter(*step.op), graph_, describe(step.inputs),   describe(step.outputs),
                  step.attributes,          {},     recording_.attributes[s]};
    for (int i : step.scalars) call.scalars.push_back(trace_.scalars[size_t(i)].value);
    const bool wanted = is_wanted(step);
    for (const OnnxCall::Value& x : call.inputs)
        if (wanted && x.id < 0)
            fail<ValueError>("{}: {} reads a result that ONNX's operator does not have",
                             options_.who, step.op->name);
    const size_t before = graph_.nodes().size();
    const std::vector<int> results =
        wanted ? write_onnx(call) : std::vector<int>(step.outputs.size(), -1);
    if (results.size() != step.outputs.size())
        fail<ValueError>("{}: {} cannot be expressed in opset {}", options_.who, step.op->name,
                         options_.opset);
    check_sizes(step, before);
    for (size_t i = 0; i < results.size(); ++i) id_of_[size_t(step.outputs[i])] = results[i];
    locations_.resize(graph_.nodes().size(), to_string(step.location));
}

/// Steps that only serve an omitted assignment need not be exported.
bool RecordedGraph::is_wanted(const Trace::Step& step) {
    if (needed_.empty()) find_needed();
    return std::any_of(step.outputs.begin(), step.outputs.end(),
                       [&](int v) { return needed_[size_t(v)]; });
}

void RecordedGraph::find_needed() {
    needed_.assign(trace_.values.size(), false);
    for (int v : trace_.outputs) needed_[size_t(v)] = true;
    for (const Trace::Assign& assign : trace_.assigns)
        if (changed_.contains(assign.target)) needed_[size_t(assign.value)] = true;
    for (size_t s = trace_.steps.size(); s-- > 0;) {
        const Trace::Step& step = trace_.steps[s];
        if (std::any_of(step.outputs.begin(), step.outputs.end(),
                        [&](int v) { return needed_[size_t(v)]; }))
            for (int v : step.inputs) needed_[size_t(v)] = true;
    }
}

void RecordedGraph::add_output(int value, const std::string& name) {
    int id = id_of_[size_t(value)];
    if (id < 0)
        fail<ValueError>("{}: output '{}' is one that ONNX's operator does not have", options_.who,
                         name);
    if (names_.contains(id)) id = graph_.node("Identity", {id});
    names_[id] = unique(name);
    outputs_.push_back({id, value});
}

void RecordedGraph::add_outputs() {
    const size_t count = trace_.outputs.size();
    if (!options_.output_names.empty() && options_.output_names.size() != count)
        fail<ValueError>("{}: {} output names are given, the model has {} outputs", options_.who,
                         options_.output_names.size(), count);
    for (size_t i = 0; i < count; ++i)
        add_output(trace_.outputs[i], !options_.output_names.empty() ? options_.output_names[i]
                                      : count == 1                   ? "y"
                                                                     : "y" + std::to_string(i));
    for (const Trace::Assign& assign : trace_.assigns) {
        if (!changed_.contains(assign.target)) continue;
        const int before = id_of_[size_t(assign.target)];
        const std::string name =
            before >= 0 ? names_.at(before) : unique(trace_.values[size_t(assign.target)].name);
        add_output(assign.value, name + ".next");
    }
    locations_.resize(graph_.nodes().size());
}

std::vector<char> RecordedGraph::used_values() const {
    std::vector<char> used(size_t(graph_.value_count()), false);
    for (const Port& port : outputs_) used[size_t(port.id)] = true;
    for (size_t n = graph_.nodes().size(); n-- > 0;) {
        const OnnxNode& node = graph_.nodes()[n];
        if (std::any_of(node.outputs.begin(), node.outputs.end(),
                        [&](int v) { return used[size_t(v)]; }))
            for (int v : node.inputs)
                if (v >= 0) used[size_t(v)] = true;
    }
    return used;
}

std::optional<OnnxSizes> RecordedGraph::shape_of(int id) const {
    for (size_t v = 0; v < id_of_.size(); ++v)
        if (id_of_[v] == id) return recording_.shapes[v];
    return std::nullopt;
}

std::string RecordedGraph::name_of(int id) const {
    if (id < 0) return "";
    auto found = names_.find(id);
    return found != names_.end() ? found->second : "v" + std::to_string(id);
}

}  // namespace catena
