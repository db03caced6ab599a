#include "frontend/onnx/recording.h"

#include <algorithm>
#include <iterator>

#include "runtime/core/device.h"
#include "runtime/graph/config.h"
#include "runtime/graph/tracer.h"

namespace catena::onnx {
namespace {

/// Sees composites that ONNX has an operator for as one call.
class WholeTracer final : public Tracer {
public:
    explicit WholeTracer(int opset) : Tracer(true), opset_(opset) {}
    bool takes_whole(const OpDef& op) const override { return op.onnx && opset_ >= op.onnx.since; }

private:
    int opset_;
};

using Body = std::function<Variables(std::span<const Variable>)>;

std::string name_among(const std::vector<std::string>& given, const char* letter, size_t i,
                       size_t count) {
    if (!given.empty()) return given[i];
    return count == 1 ? letter : letter + std::to_string(i);
}

Trace trace_once(const Body& body, const std::vector<Type>& types, const ExportOptions& options) {
    WholeTracer tracer(options.opset);
    std::vector<Variable> inputs;
    for (size_t i = 0; i < types.size(); ++i) {
        inputs.emplace_back(Array::empty(types[i], meta_device()), false);
        tracer.add_argument(inputs[i].array(),
                            name_among(options.input_names, "x", i, types.size()));
    }
    std::vector<int> outputs;
    {
        RecorderScope scope(&tracer);
        for (const Variable& y : body(inputs)) outputs.push_back(tracer.value_of(y.array()));
    }
    Trace trace = tracer.trace();
    trace.outputs = std::move(outputs);
    return trace;
}

struct OpenName {
    std::string name;
    int64_t base = 0;
    std::vector<OpenSize> places;
};

std::vector<OpenName> open_names_of(const std::vector<Type>& types, const ExportOptions& options) {
    std::vector<OpenName> names;
    for (const OpenSize& open : options.open_sizes) {
        if (open.input < 0 || size_t(open.input) >= types.size() || open.axis < 0 ||
            open.axis >= types[size_t(open.input)].shape.rank())
            fail<ValueError>("onnx: the open size '{}' is axis {} of input {}, which is not there",
                             open.name, open.axis, open.input);
        auto found = std::find_if(names.begin(), names.end(),
                                  [&](const OpenName& n) { return n.name == open.name; });
        if (found == names.end()) {
            names.push_back({open.name, types[size_t(open.input)].shape[open.axis], {}});
            found = std::prev(names.end());
        }
        found->places.push_back(open);
    }
    // A size of 1 would broadcast, and one of 0 hide things.
    for (OpenName& name : names) name.base = name.base > 1 ? name.base : 3;
    return names;
}

std::vector<Type> with_sizes(std::vector<Type> types, const std::vector<OpenName>& names,
                             const std::vector<int64_t>& sizes) {
    for (size_t k = 0; k < names.size(); ++k)
        for (const OpenSize& open : names[k].places)
            types[size_t(open.input)].shape[open.axis] = sizes[k];
    return types;
}

/// The same program at several sizes: as given, with each open size one larger, and one more to be
/// sure.
struct Traces {
    std::vector<std::vector<int64_t>> sizes;
    std::vector<Trace> traces;
};

[[noreturn]] void fail_on_difference(const Trace& was, const Trace& is) {
    for (size_t s = 0; s < std::min(was.steps.size(), is.steps.size()); ++s) {
        const Trace::Step &a = was.steps[s], &b = is.steps[s];
        if (a.op != b.op || a.inputs != b.inputs ||
            a.attributes.entries().size() != b.attributes.entries().size())
            fail<ValueError>(
                "onnx: with other open sizes the program is another: step {} is {} ({}) or {} ({})",
                s, a.op->name, to_string(a.location), b.op->name, to_string(b.location));
    }
    fail<ValueError>("onnx: with other open sizes the program is another: it has {} or {} steps",
                     was.steps.size(), is.steps.size());
}

Traces trace_at_all(const Body& body, const std::vector<Type>& types,
                    const std::vector<OpenName>& names, const ExportOptions& options) {
    Traces all;
    std::vector<int64_t> base, last;
    for (const OpenName& name : names) {
        base.push_back(name.base);
        last.push_back(2 * name.base + 3);
    }
    all.sizes.push_back(base);
    for (size_t k = 0; k < names.size(); ++k) {
        all.sizes.push_back(base);
        ++all.sizes.back()[k];
    }
    if (!names.empty()) all.sizes.push_back(last);
    for (const auto& sizes : all.sizes) {
        all.traces.push_back(trace_once(body, with_sizes(types, names, sizes), options));
        if (all.traces.back().structure_hash() != all.traces[0].structure_hash())
            fail_on_difference(all.traces[0], all.traces.back());
    }
    return all;
}

/// Finds what numbers of the program are as functions of the open sizes: affine, a multiple of a
/// product of two of them, or something else. Products and the rest are counted as open sizes of
/// their own, behind the named ones.
class Fit {
public:
    explicit Fit(const Traces& all) : all_(all), names_(all.sizes[0].size()) {}

    template <class Read>
    OnnxSize operator()(Read read) {
        std::vector<int64_t> seen;
        for (const Trace& trace : all_.traces) seen.push_back(read(trace));
        OnnxSize size(seen[0]);
        for (size_t k = 0; k < names_; ++k) {
            size.factors.push_back(seen[k + 1] - seen[0]);
            size.constant -= size.factors[k] * all_.sizes[0][k];
        }
        int64_t expected = size.constant;
        for (size_t k = 0; k < names_; ++k) expected += size.factors[k] * all_.sizes.back()[k];
        return names_ == 0 || expected == seen.back() ? size : other(seen);
    }

    /// The two named sizes that an open size beyond the names is the product of; none when it is
    /// something else.
    std::vector<std::optional<std::pair<size_t, size_t>>> products;

private:
    OnnxSize other(const std::vector<int64_t>& seen) {
        for (size_t i = 0; i < names_; ++i)
            for (size_t k = i; k < names_; ++k) {
                std::vector<int64_t> product;
                for (const auto& sizes : all_.sizes) product.push_back(sizes[i] * sizes[k]);
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

/// Shapes of values that are not computed must not depend on open sizes, but for the arguments.
void check_inputs(const Traces& all) {
    const Trace& first = all.traces[0];
    for (const Trace& trace : all.traces)
        for (int v : first.inputs)
            if (first.values[size_t(v)].role != Trace::Role::argument &&
                !(trace.values[size_t(v)].type == first.values[size_t(v)].type))
                fail<ValueError>(
                    "onnx: an array from outside the model {} has another shape {} where open "
                    "sizes differ",
                    to_string(first.values[size_t(v)].type),
                    to_string(trace.values[size_t(v)].type));
}

void check_scalars(const Traces& all) {
    const Trace& first = all.traces[0];
    for (const Trace::Step& step : first.steps)
        for (int s : step.scalars)
            for (const Trace& trace : all.traces)
                if (trace.scalars[size_t(s)].value != first.scalars[size_t(s)].value)
                    fail<ValueError>(
                        "onnx: a number in {} ({}) depends on an open size: {} or {}; give that "
                        "size",
                        step.op->name, to_string(step.location), first.scalars[size_t(s)].value,
                        trace.scalars[size_t(s)].value);
}

}  // namespace

Recording record(const Body& body, const std::vector<Variable>& inputs,
                 const ExportOptions& options) {
    auto train = using_config(&Config::train, options.train);
    auto backprop = no_backprop_mode();
    std::vector<Type> types;
    for (const Variable& x : inputs) types.push_back(x.type());
    const std::vector<OpenName> names = open_names_of(types, options);
    Traces all = trace_at_all(body, types, names, options);
    check_inputs(all);
    check_scalars(all);

    Recording recording;
    recording.trace = all.traces[0];
    for (const OpenName& name : names) {
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

}  // namespace catena::onnx
