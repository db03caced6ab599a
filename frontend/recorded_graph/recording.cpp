#include "frontend/recorded_graph/recording.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "frontend/static_graph/sizes/open_sizes.h"
#include "frontend/static_graph/sizes/outside_arrays.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/notice.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {
namespace {

/// Records composites that ONNX has an operator for as one call.
class WholeTracer final : public Tracer {
public:
    explicit WholeTracer(const RecordingOptions& options) : Tracer(true), options_(options) {}
    bool takes_whole(const OpDef& op) const override {
        const auto own = options_.converters.find(op.name);
        const OnnxMapping& form = own == options_.converters.end() ? op.onnx : own->second;
        return form && options_.opset >= form.since;
    }

private:
    const RecordingOptions& options_;
};

using Body = std::function<Variables(std::span<const Variable>)>;

std::string name_among(const std::vector<std::string>& given, const char* letter, size_t i,
                       size_t count) {
    if (!given.empty()) return given[i];
    return count == 1 ? letter : letter + std::to_string(i);
}

/// The variable's gradient was consumed by an update.
bool is_updated(const Trace& trace, const VariableBody* variable) {
    return std::any_of(trace.assigns.begin(), trace.assigns.end(), [&](const Trace::Assign& a) {
        return trace.values[size_t(a.target)].state.get() == variable;
    });
}

/// A file cannot represent gradients that the model leaves in variables.
void check_gradients(const std::string& who, Tracer& tracer, std::span<const Variable> inputs) {
    for (const Tracer::GradientEffect& effect : tracer.gradient_effects()) {
        if (effect.value < 0 || is_updated(tracer.trace(), effect.body)) continue;
        for (size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].body() == effect.body)
                fail<ValueError>(
                    "{}: the model leaves a gradient in input {}, which cannot be saved; return "
                    "it (ct::grad), or pass an input that requires no gradient",
                    who, i);
        fail<ValueError>(
            "{}: the model leaves a gradient in '{}', which cannot be saved; use it in the model "
            "(optimizer.update), return it, or clear it",
            who, effect.body->name ? *effect.body->name : "a variable");
    }
}

Trace trace_once(const Body& body, const std::vector<Type>& types,
                 std::span<const Variable> examples, const RecordingOptions& options) {
    WholeTracer tracer(options);
    std::vector<Variable> inputs;
    for (size_t i = 0; i < types.size(); ++i) {
        inputs.emplace_back(Array::empty(types[i], meta_device()), examples[i].requires_grad());
        tracer.add_argument(inputs[i].array(),
                            name_among(options.input_names, "x", i, types.size()));
    }
    std::vector<int> outputs;
    {
        RecorderScope scope(&tracer);
        for (const Variable& y : body(inputs)) {
            if (!y.defined())
                fail<ValueError>("{}: output {} of the model is not defined", options.who,
                                 outputs.size());
            outputs.push_back(tracer.value_of(y.array()));
        }
        check_gradients(options.who, tracer, inputs);
    }
    Trace trace = tracer.trace();
    trace.outputs = std::move(outputs);
    return trace;
}

/// The traces of the runs, which are one program at all of their open sizes.
struct Traces {
    const OpenSizes& open;
    std::vector<Trace> traces;
    OpenSizes::Again second_again;
};

Traces trace_at_all(const Body& body, const OpenSizes& open, std::span<const Variable> inputs,
                    const RecordingOptions& options) {
    auto recorded = [&body, &open, inputs, &options](const std::vector<int64_t>& sizes) {
        std::optional<QuietScope> quiet;
        if (!open.names().empty()) quiet.emplace();
        return trace_once(body, open.types_at(sizes), inputs, options);
    };
    Traces all{open, {}, [&open, recorded] { return recorded(open.runs()[1]); }};
    for (const auto& sizes : open.runs()) {
        all.traces.push_back(recorded(sizes));
        open.check_same(all.traces[0], all.traces.back(), [&] { return recorded(sizes); });
    }
    return all;
}

/// Finds what numbers of the program are as functions of the open sizes: affine, a multiple of a
/// product of two of them, or something else. Products and the rest are counted as open sizes of
/// their own, behind the named ones.
class Fit {
public:
    explicit Fit(const Traces& all) : all_(all), names_(all.open.names().size()) {}

    template <class Read>
    OnnxSize operator()(Read read) {
        std::vector<int64_t> seen;
        for (const Trace& trace : all_.traces) seen.push_back(read(trace));
        const std::optional<OnnxSize> size = all_.open.affine(seen);
        return size ? *size : other(seen);
    }

    /// The two named sizes that an open size beyond the names is the product of; none when it is
    /// something else.
    std::vector<std::optional<std::pair<size_t, size_t>>> products;

private:
    OnnxSize other(const std::vector<int64_t>& seen) {
        for (size_t i = 0; i < names_; ++i)
            for (size_t k = i; k < names_; ++k) {
                std::vector<int64_t> product;
                for (const auto& sizes : all_.open.runs()) product.push_back(sizes[i] * sizes[k]);
                const int64_t factor = seen[0] / product[0];
                bool same = factor != 0;
                for (size_t t = 0; t < seen.size(); ++t) same &= seen[t] == factor * product[t];
                if (same) return multiple(product, factor, std::pair(i, k));
            }
        return multiple(seen, 1, std::nullopt);
    }

    OnnxSize multiple(const std::vector<int64_t>& seen, int64_t factor,
                      std::optional<std::pair<size_t, size_t>> product) {
        size_t index = size_t(std::find(known_.begin(), known_.end(), seen) - known_.begin());
        if (index == known_.size()) {
            known_.push_back(seen);
            products.push_back(product);
        }
        OnnxSize size(0);
        size.factors.resize(names_ + index + 1);
        size.factors.back() = factor;
        return size;
    }

    const Traces& all_;
    size_t names_;
    std::vector<std::vector<int64_t>>
        known_;  ///< Values of the open sizes beyond the names, at every trace.
};

/// The file holds states in one type, and arrays from outside in one with its elements.
void check_inputs(const Traces& all, const std::string& who) {
    const Trace& first = all.traces[0];
    std::vector<const Trace*> traces;
    for (const Trace& trace : all.traces) traces.push_back(&trace);
    for (int v : first.inputs) {
        const Trace::Value& value = first.values[size_t(v)];
        if (value.role == Trace::Role::argument || !is_read(first, v)) continue;
        if (value.role == Trace::Role::captured) {
            all.open.check_constant(traces, v, all.second_again);
            continue;
        }
        for (const Trace& trace : all.traces)
            if (const Type& other = trace.values[size_t(v)].type; !(other == value.type))
                fail<ValueError>(
                    "{}: state '{}' is {} or {} at different open sizes, and a file holds it in "
                    "one; give that size",
                    who, value.name, to_string(value.type), to_string(other));
    }
}

bool is_same_number(double a, double b) { return a == b || (a != a && b != b); }

void check_scalars(const Traces& all, const std::string& who) {
    const Trace& first = all.traces[0];
    for (const Trace::Step& step : first.steps)
        for (int s : step.scalars)
            for (const Trace& trace : all.traces)
                if (!is_same_number(trace.scalars[size_t(s)].value,
                                    first.scalars[size_t(s)].value)) {
                    all.open.check_repeats(all.traces[1], step, s, all.second_again);
                    fail<ValueError>(
                        "{}: a number in {} ({}) depends on an open size: {} or {}; give that "
                        "size",
                        who, step.op->name, to_string(step.location),
                        first.scalars[size_t(s)].value, trace.scalars[size_t(s)].value);
                }
}

}  // namespace

bool is_read(const Trace& trace, int value) { return !first_use(trace, value).empty(); }

Recording record(const Body& body, const std::vector<Variable>& inputs,
                 const RecordingOptions& options) {
    auto train = using_config(&Config::train, options.train);
    std::vector<Type> types;
    for (const Variable& x : inputs) types.push_back(x.type());
    const OpenSizes open(options.who, types, options.open_sizes);
    Traces all = trace_at_all(body, open, inputs, options);
    check_inputs(all, options.who);
    check_scalars(all, options.who);

    Recording recording;
    recording.trace = all.traces[0];
    for (const OpenSizes::Name& name : open.names()) {
        recording.open_names.push_back(name.name);
        recording.open_at.push_back(name.places[0]);
    }
    Fit fit(all);
    for (size_t v = 0; v < recording.trace.values.size(); ++v) {
        OnnxSizes shape;
        for (int a = 0; a < recording.trace.values[v].type.shape.rank(); ++a)
            shape.push_back(fit([&](const Trace& t) { return t.values[v].type.shape[a]; }));
        recording.shapes.push_back(std::move(shape));
    }
    for (size_t s = 0; s < recording.trace.steps.size(); ++s) {
        auto& open = recording.attributes.emplace_back();
        for (const Attributes::Entry& entry : recording.trace.steps[s].attributes.entries()) {
            const Dims* dims = std::get_if<Dims>(&entry.value);
            OnnxSizes sizes;
            for (int i = 0; dims && i < dims->rank(); ++i)
                sizes.push_back(
                    fit([&](const Trace& t) { return t.steps[s].attributes.dims(entry.name)[i]; }));
            if (std::any_of(sizes.begin(), sizes.end(),
                            [](const OnnxSize& z) { return !z.is_constant(); }))
                open[entry.name] = std::move(sizes);
        }
    }
    recording.products = fit.products;
    return recording;
}

}  // namespace catena
