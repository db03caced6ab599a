#include "frontend/static_program.h"

#include <algorithm>
#include <chrono>

#include "runtime/core/device.h"
#include "runtime/graph/config.h"
#include "runtime/graph/first_way.h"
#include "runtime/graph/gradient.h"
#include "runtime/graph/tracer.h"
#include "runtime/ops/arithmetic.h"

namespace catena {
namespace {

/// The op of a node that stands for a compiled region.
const OpDef& define_region_op() {
    OpDef op;
    op.name = "compiled_region";
    op.gradient = [](const GradientCall&) -> Variables { throw InternalError("static_graph: nodes have their own gradient"); };
    return register_op(std::move(op));
}
const OpDef& op_region = define_region_op();

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The joint backward of a recorded region: run on shapes, so that it is recorded without being computed.
struct JointBackward {
    std::vector<int> grad_outputs;  ///< Values that stand for the gradients of the results, in order.
    std::vector<int> gradients;     ///< One per target; -1 where nothing flows.
};

JointBackward record_backward(Tracer& tracer, std::span<const Variable> results, std::span<const Variable> targets) {
    JointBackward joint;
    tracer.become_shape_only();
    RecorderScope recording(&tracer);
    std::vector<Variable> gys;
    for (const Variable& y : results) {
        Array gy = Array::empty(y.type(), meta_device());
        joint.grad_outputs.push_back(tracer.add_argument(gy, "gy" + std::to_string(gys.size())));
        gys.emplace_back(gy, false);
    }
    Variables gx = grad(results, targets, gys);
    for (const Variable& g : gx) joint.gradients.push_back(g.defined() ? tracer.value_of(g.array()) : -1);
    return joint;
}

}  // namespace

/// What one call keeps for its backward; freed when that has run or the results die.
struct StaticProgram::Activation {
    std::shared_ptr<StaticProgram> program;
    std::vector<Array> inputs;  ///< Of the forward program: all, for the differentiable form; cheap handles.
    std::vector<Array> kept;    ///< Inputs of the backward program but the gradients.
    std::vector<double> scalars;
};

StaticProgram::Source StaticProgram::source_of(const Trace& trace, int value, const std::vector<int>& argument_of) const {
    const Trace::Value& v = trace.values[value];
    switch (v.role) {
        case Trace::Role::argument: return {.kind = Source::argument, .index = argument_of[value]};
        case Trace::Role::state: return {.kind = Source::state, .body = v.state};
        case Trace::Role::gradient: return {.kind = Source::gradient, .body = v.state};
        case Trace::Role::captured: return {.kind = Source::captured, .array = v.captured};
        default: return {.kind = Source::computed, .index = value};
    }
}

namespace {

/// Where the program's arrays are; those of an audit are nowhere.
Device& device_of(const Trace& trace, const Flat& arguments) {
    for (const Variable& x : arguments.variables)
        if (!x.device().is_meta()) return x.device();
    for (int v : trace.inputs) {
        const Trace::Value& value = trace.values[v];
        const Array& array = value.state ? value.state->array : value.captured;
        if (array.defined() && !array.device().is_meta()) return array.device();
    }
    return current_device();
}

}  // namespace

std::shared_ptr<StaticProgram> StaticProgram::record(const std::string& name, bool keep_grads, const Flat& arguments,
                                                     const std::function<void(Flat&)>& body, bool shape_only,
                                                     Flat& outputs) {
    auto program = std::make_shared<StaticProgram>();
    program->keep_grads_ = keep_grads;
    Tracer tracer(shape_only);
    std::vector<int> argument_values;
    for (const Variable& x : arguments.variables)
        argument_values.push_back(tracer.add_argument(x.array(), "x" + std::to_string(argument_values.size())));
    const int64_t first_ways_before = first_ways();
    {
        RecorderScope recording(&tracer);
        body(outputs);
    }
    program->is_passing_ = first_ways() != first_ways_before;
    int forward_steps = tracer.step_count();
    std::vector<int> results;
    for (const Variable& y : outputs.variables) results.push_back(tracer.value_of(y.array()));
    std::vector<Tracer::GradientEffect> effects = tracer.gradient_effects();
    std::vector<Trace::Assign> assigns = tracer.trace().assigns;
    {
        Trace whole = tracer.trace();
        whole.outputs = results;
        for (const Tracer::GradientEffect& e : effects) whole.outputs.push_back(e.value < 0 ? 0 : e.value);
        program->structure_ = whole.structure_hash();
        // Sizes of arguments are in the key; those of states are not.
        for (int v : whole.inputs)
            for (int64_t d : whole.values[v].type.shape) program->structure_ = program->structure_ * 1099511628211u + d;
    }

    // A region that ran its own backward is complete; otherwise one may come from outside.
    bool ran_backward = std::any_of(effects.begin(), effects.end(), [](auto& e) { return e.value >= 0; });
    std::vector<Variable> differentiated, targets;
    std::vector<int> target_values;
    if (!ran_backward && config().enable_backprop)
        for (const Variable& y : outputs.variables) {
            bool computed = tracer.trace().values[tracer.value_of(y.array())].role == Trace::Role::computed;
            program->result_has_gradient_.push_back(computed && y.requires_grad());
            if (program->result_has_gradient_.back()) differentiated.push_back(y);
        }
    program->result_has_gradient_.resize(outputs.variables.size());
    if (!differentiated.empty()) {
        for (size_t k = 0; k < arguments.variables.size(); ++k)
            if (arguments.variables[k].requires_grad() &&
                std::find(target_values.begin(), target_values.end(), argument_values[k]) == target_values.end()) {
                targets.push_back(arguments.variables[k]);
                target_values.push_back(argument_values[k]);
            }
        const Trace& trace = tracer.trace();
        for (int v : trace.inputs)
            if (trace.values[v].role == Trace::Role::state && trace.values[v].state->requires_grad) {
                targets.emplace_back(trace.values[v].state);
                target_values.push_back(v);
            }
    }
    JointBackward joint;
    if (!targets.empty()) joint = record_backward(tracer, differentiated, targets);
    tracer.restore();

    Trace full = tracer.trace();
    full.name = name;
    program->device_ = &device_of(full, arguments);
    // A gradient may assign too: messages are kept in order by a state.
    std::vector<Trace::Assign> backward_assigns = std::exchange(full.assigns, assigns);
    std::erase_if(backward_assigns, [&](const Trace::Assign& a) {
        return std::any_of(assigns.begin(), assigns.end(),
                           [&](const Trace::Assign& b) { return a.target == b.target && a.value == b.value; });
    });
    std::vector<int> argument_of(full.values.size(), -1);
    for (size_t k = argument_values.size(); k-- > 0;) argument_of[argument_values[k]] = int(k);
    for (int v : results) program->results_.push_back(program->source_of(full, v, argument_of));
    for (int v : target_values) program->targets_.push_back(program->source_of(full, v, argument_of));
    for (const Tracer::GradientEffect& e : effects) {
        Effect effect;
        for (size_t k = 0; k < arguments.variables.size(); ++k)
            if (arguments.variables[k].body() == e.body) effect.argument = int(k);
        if (effect.argument < 0) effect.body = Ref<VariableBody>(e.body);
        bool updated = std::any_of(full.assigns.begin(), full.assigns.end(), [&](const Trace::Assign& a) {
            return full.values[a.target].state.get() == e.body;
        });
        effect.cleared = e.value < 0;
        effect.consumed = !effect.cleared && updated && !keep_grads;
        if (!effect.cleared && !effect.consumed) effect.value = program->source_of(full, e.value, argument_of);
        program->effects_.push_back(std::move(effect));
    }
    program->target_inputs_ = target_values;
    program->split(full, forward_steps, results, joint.grad_outputs, joint.gradients, backward_assigns, argument_of);
    return program;
}

void StaticProgram::split(const Trace& full, int forward_steps, const std::vector<int>& user_outputs,
                          const std::vector<int>& grad_outputs, const std::vector<int>& gradients,
                          const std::vector<Trace::Assign>& backward_assigns, const std::vector<int>& argument_of) {
    enum : char { none, forward_input, forward_made, backward_made, grad_output };
    std::vector<char> where(full.values.size(), none);
    for (int v : grad_outputs) where[v] = grad_output;
    for (int v : full.inputs)
        if (where[v] == none) where[v] = forward_input;
    for (int s = 0; s < int(full.steps.size()); ++s)
        for (int o : full.steps[s].outputs) where[o] = s < forward_steps ? forward_made : backward_made;

    // The backward part reads inputs and results of the forward part.
    std::vector<int> kept_values;
    std::vector<char> is_kept(full.values.size());
    auto keep = [&](int v) {
        if ((where[v] == forward_input || where[v] == forward_made) && !is_kept[v]) {
            is_kept[v] = 1;
            kept_values.push_back(v);
        }
    };
    for (size_t s = forward_steps; s < full.steps.size(); ++s)
        for (int i : full.steps[s].inputs) keep(i);
    for (int g : gradients)
        if (g >= 0) keep(g);
    for (const Trace::Assign& a : backward_assigns) keep(a.target), keep(a.value);

    std::vector<int> forward_inputs, forward_outputs, output_index(full.values.size(), -1);
    for (int v : full.inputs)
        if (where[v] == forward_input) forward_inputs.push_back(v);
    auto add_output = [&](int v) {
        if (where[v] != forward_made || output_index[v] >= 0) return;
        output_index[v] = int(forward_outputs.size());
        forward_outputs.push_back(v);
    };
    for (int v : user_outputs) add_output(v);
    for (Effect& e : effects_)
        if (!e.cleared && !e.consumed && e.value.kind == Source::computed) add_output(e.value.index);
    for (int v : kept_values) add_output(v);

    std::vector<int> input_index(full.values.size(), -1);
    for (size_t i = 0; i < forward_inputs.size(); ++i) {
        input_index[forward_inputs[i]] = int(i);
        sources_.push_back(source_of(full, forward_inputs[i], argument_of));
    }
    for (Source& s : results_)
        if (s.kind == Source::computed) s.index = output_index[s.index];
    for (Effect& e : effects_)
        if (!e.cleared && !e.consumed && e.value.kind == Source::computed) e.value.index = output_index[e.value.index];
    for (int& t : target_inputs_) t = input_index[t];

    forward_ = slice_trace(full, 0, forward_steps, forward_inputs, forward_outputs, full.assigns);
    forward_.name = full.name;
    input_kept_.resize(forward_inputs.size());
    // Results and gradients that are a state's old content are read after the program has run.
    auto keep_content = [&](const Source& s) {
        for (size_t i = 0; s.kind == Source::state && i < sources_.size(); ++i)
            if (sources_[i].kind == Source::state && sources_[i].body == s.body) input_kept_[i] = 1;
    };
    for (const Source& s : results_) keep_content(s);
    for (const Effect& e : effects_)
        if (!e.cleared && !e.consumed) keep_content(e.value);
    if (targets_.empty()) return;

    std::vector<int> backward_inputs = kept_values, backward_outputs;
    for (int v : kept_values) {
        bool is_input = where[v] == forward_input;
        kept_.push_back({is_input, is_input ? input_index[v] : output_index[v]});
        if (is_input) input_kept_[input_index[v]] = 1;
    }
    backward_inputs.insert(backward_inputs.end(), grad_outputs.begin(), grad_outputs.end());
    for (int g : gradients) {
        gradient_of_target_.push_back(g < 0 ? -1 : int(backward_outputs.size()));
        if (g >= 0) backward_outputs.push_back(g);
    }
    backward_ = slice_trace(full, forward_steps, int(full.steps.size()), backward_inputs, backward_outputs, backward_assigns);
    backward_.name = full.name + "_backward";
}

void StaticProgram::compile() {
    auto start = std::chrono::steady_clock::now();
    executable_ = compiler().compile(forward_, {.fast_math = config().fast_math, .device = device_});
    compile_seconds_ += seconds_since(start);
}

void StaticProgram::compile_backward() {
    auto start = std::chrono::steady_clock::now();
    backward_executable_ = compiler().compile(backward_, {.fast_math = config().fast_math, .device = device_});
    compile_seconds_ += seconds_since(start);
}

namespace {

size_t bytes_of(const Trace& trace) {
    size_t bytes = trace.values.size() * sizeof(Trace::Value) + trace.scalars.size() * sizeof(Trace::ScalarSlot);
    for (const Trace::Step& step : trace.steps)
        bytes += sizeof(step) + (step.inputs.size() + step.outputs.size() + step.scalars.size()) * sizeof(int) +
                 step.attributes.entries().size() * sizeof(Attributes::Entry);
    return bytes;
}

}  // namespace

size_t StaticProgram::bytes() const {
    size_t bytes = sizeof(*this) + bytes_of(forward_) + bytes_of(backward_);
    for (const auto& executable : {executable_, backward_executable_})
        if (executable) bytes += executable->info().bytes;
    return bytes;
}

bool StaticProgram::applies() const {
    for (size_t i = 0; i < sources_.size(); ++i) {
        const Source& s = sources_[i];
        if (s.kind == Source::gradient && (!s.body->grad || s.body->grad_consumed)) return false;
        if (s.kind == Source::state && !(s.body->array.type() == forward_.values[forward_.inputs[i]].type)) return false;
    }
    return true;
}

void StaticProgram::refresh(const StaticProgram& other) {
    forward_.scalars = other.forward_.scalars;
    backward_.scalars = other.backward_.scalars;
    for (size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i].kind == Source::captured) sources_[i].array = other.sources_[i].array;
}

void StaticProgram::gather(const Flat& arguments, std::vector<Array>& inputs, std::vector<char>& donated) const {
    inputs.reserve(sources_.size());
    donated.assign(sources_.size(), 0);
    for (size_t i = 0; i < sources_.size(); ++i) {
        const Source& s = sources_[i];
        if (s.kind == Source::state) {
            const Array& content = s.body->array;
            donated[i] = !input_kept_[i] && content.body()->use_count() == 1 && content.storage()->use_count() == 1;
        }
        const Array& array = s.kind == Source::argument ? arguments.variables[s.index].array()
                             : s.kind == Source::state  ? s.body->array
                             : s.kind == Source::gradient ? s.body->grad->array
                                                          : s.array;
        // What other code uses elsewhere, as the random state.
        const bool elsewhere = s.kind == Source::state && &array.device() != device_ && !array.device().is_meta();
        if (elsewhere) donated[i] = 0;
        inputs.push_back(elsewhere ? array.to(*device_) : array.contiguous() ? array : array.as_contiguous());
    }
}

std::vector<double> StaticProgram::scalar_values(const Trace& trace) const {
    std::vector<double> values;
    values.reserve(trace.scalars.size());
    for (const Trace::ScalarSlot& slot : trace.scalars) values.push_back(slot.cell ? slot.cell->value : slot.value);
    return values;
}

Array StaticProgram::value_from(const Source& s, const Flat& arguments, std::span<const Array> outputs) const {
    switch (s.kind) {
        case Source::argument: return arguments.variables[s.index].array();
        case Source::state: return s.body->array;
        case Source::gradient: return s.body->grad->array;
        case Source::captured: return s.array;
        default: return outputs[s.index];
    }
}

void StaticProgram::apply_effects(const Flat& arguments, std::span<const Array> outputs) const {
    std::vector<Array> gradients;  // All read before any is written.
    for (const Effect& e : effects_)
        gradients.push_back(e.cleared || e.consumed ? Array() : value_from(e.value, arguments, outputs));
    for (size_t i = 0; i < effects_.size(); ++i) {
        const Effect& e = effects_[i];
        Variable v = e.body ? Variable(e.body) : arguments.variables[e.argument];
        v.set_grad(gradients[i]);
        if (e.consumed) v.body()->grad_consumed = true;
    }
    for (size_t a = 0; a < forward_.assigns.size(); ++a) {
        const Array& content = outputs[forward_.outputs.size() + a];
        VariableBody& state = *forward_.values[forward_.assigns[a].target].state;
        if (!(state.array == content)) bind_state(state, content);
    }
}

SmallVector<Variable, 4> StaticProgram::run(const Flat& arguments) {
    std::vector<Array> inputs;
    std::vector<char> donated;
    gather(arguments, inputs, donated);
    std::vector<double> scalars = scalar_values(forward_);
    std::vector<Array> outputs(forward_.outputs.size() + forward_.assigns.size());
    executable_->run(inputs, scalars, {reinterpret_cast<const bool*>(donated.data()), donated.size()}, outputs);

    SmallVector<Variable, 4> results;
    for (const Source& s : results_) {
        if (s.kind == Source::argument) results.push_back(arguments.variables[s.index]);
        else results.emplace_back(value_from(s, arguments, outputs), false);
    }
    if (has_backward()) attach_gradient(arguments, std::move(inputs), outputs, results);
    else inputs.clear();
    apply_effects(arguments, outputs);
    ++hits;
    return results;
}

void StaticProgram::attach_gradient(const Flat& arguments, std::vector<Array> inputs, std::span<const Array> outputs,
                                    SmallVector<Variable, 4>& results) {
    auto activation = std::make_shared<Activation>();
    activation->program = shared_from_this();
    for (const Kept& k : kept_) activation->kept.push_back(k.is_input ? inputs[k.index] : outputs[k.index]);
    activation->inputs = std::move(inputs);
    activation->scalars = scalar_values(backward_);
    SmallVector<Variable, 8> targets;
    for (const Source& s : targets_)
        targets.push_back(s.kind == Source::argument ? arguments.variables[s.index] : Variable(s.body));
    SmallVector<Variable, 4> differentiated;
    for (size_t i = 0; i < results.size(); ++i)
        if (result_has_gradient_[i]) differentiated.push_back(results[i]);
    attach_region(op_region, targets, differentiated, [activation](Node& node, std::span<const Variable> gy) {
        return activation->program->gradient(*activation, node, gy);
    });
}

Variables StaticProgram::gradient(Activation& activation, Node& node, std::span<const Variable> gy) {
    if (config().enable_backprop || current_recorder()) return differentiable_gradient(activation, node, gy);
    if (!backward_executable_) compile_backward();
    if (activation.kept.empty() && !kept_.empty()) {  // A second backward: the activations are made again.
        std::vector<Array> outputs(forward_.outputs.size() + forward_.assigns.size());
        std::vector<char> donated(activation.inputs.size());
        executable_->run(activation.inputs, scalar_values(forward_),
                         {reinterpret_cast<const bool*>(donated.data()), donated.size()}, outputs);
        for (const Kept& k : kept_) activation.kept.push_back(k.is_input ? activation.inputs[k.index] : outputs[k.index]);
    }
    std::vector<Array> inputs = std::move(activation.kept);
    activation.kept.clear();
    for (size_t i = 0; i < gy.size(); ++i) {
        Array g = gy[i].defined() ? gy[i].array() : Array::zeros(node.output_types[i]);
        inputs.push_back(g.as_contiguous());
    }
    std::vector<char> donated(inputs.size());
    std::vector<Array> outputs(backward_.outputs.size() + backward_.assigns.size());
    backward_executable_->run(inputs, activation.scalars,
                              {reinterpret_cast<const bool*>(donated.data()), donated.size()}, outputs);
    for (size_t a = 0; a < backward_.assigns.size(); ++a)
        bind_state(*backward_.values[backward_.assigns[a].target].state, outputs[backward_.outputs.size() + a]);
    Variables gx;
    for (int o : gradient_of_target_) gx.push_back(o < 0 ? Variable() : Variable(outputs[o], false));
    return gx;
}

Variables StaticProgram::differentiable_gradient(Activation& activation, Node& node, std::span<const Variable> gy) {
    auto mode = force_backprop_mode();
    std::vector<Variable> inputs;
    for (const Array& x : activation.inputs) inputs.emplace_back(x, false);
    std::vector<Variable> targets;
    for (size_t t = 0; t < target_inputs_.size(); ++t) {
        Variable& x = inputs[target_inputs_[t]];
        x = reconstruct(activation.inputs[target_inputs_[t]], node.edges[t]);
        targets.push_back(x);
    }
    Variables replayed = replay(forward_, inputs);
    std::vector<Variable> outputs, grad_outputs;
    for (size_t i = 0; i < results_.size(); ++i)
        if (result_has_gradient_[i]) outputs.push_back(replayed[results_[i].index]);
    for (size_t i = 0; i < outputs.size(); ++i)
        grad_outputs.push_back(gy[i].defined() ? gy[i] : fill(outputs[i].type(), 0));
    return grad(outputs, targets, grad_outputs, {.enable_double_backprop = true});
}

namespace {

int index_in(std::vector<int>& list, int value) {
    auto found = std::find(list.begin(), list.end(), value);
    if (found != list.end()) return int(found - list.begin());
    list.push_back(value);
    return int(list.size()) - 1;
}

}  // namespace

ExportedProgram StaticProgram::exported() const {
    using Value = ExportedProgram::Value;
    ExportedProgram made;
    made.trace = forward_;
    made.trace.outputs.clear();
    for (const Effect& e : effects_) {
        if (e.cleared || e.consumed) continue;
        if (!e.body)
            fail<ValueError>("save: region {} leaves a gradient in argument {}, which a file cannot hold; pass it as one that "
                             "wants none: Variable(array, false)",
                             forward_.name, e.argument);
        fail<ValueError>("save: region {} leaves a gradient in '{}', which a file cannot hold; use it inside the region "
                         "(optimizer.update) or clear it",
                         forward_.name, e.body->name ? *e.body->name : "a variable");
    }
    auto value_at = [&](int v, const Source& s) -> Value {
        switch (s.kind) {
            case Source::argument: return {Value::argument, s.index};
            case Source::state: return {Value::state, index_in(made.states, v)};
            case Source::captured: return {Value::constant, index_in(made.constants, v)};
            case Source::gradient:
                fail<ValueError>("save: region {} adds to a gradient from before ('{}'), which a file cannot hold; clear it "
                                 "in the region (cleargrads)",
                                 forward_.name, s.body->name ? *s.body->name : "");
            default: return {Value::result, index_in(made.trace.outputs, forward_.outputs[size_t(s.index)])};
        }
    };
    for (size_t i = 0; i < sources_.size(); ++i) made.sources.push_back(value_at(forward_.inputs[i], sources_[i]));
    for (const Source& s : results_) {
        int v = -1;
        for (size_t i = 0; i < sources_.size(); ++i)
            if (sources_[i].kind == s.kind && (s.kind == Source::state ? sources_[i].body == s.body
                                                                       : sources_[i].array == s.array))
                v = forward_.inputs[i];
        if (v < 0 && (s.kind == Source::state || s.kind == Source::captured))
            fail<ValueError>("save: region {} returns an array that it does not read", forward_.name);
        made.results.push_back(value_at(v, s));
    }
    for (const Trace::Assign& a : forward_.assigns) made.assigned.push_back(index_in(made.states, a.target));
    return made;
}

}  // namespace catena
