// Control flow: decided on the host, loops unrolled.
#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

const Variable& array_of(const NodeCall& n, const Item& item) {
    if (!item.variable.defined()) n.wrong("its body gives no array where one is expected");
    return item.variable;
}

/// What the body gave as output `output` in each step, along a new axis. Without a step no values,
/// of the type that the body declares; sizes that it leaves open are 0, as in ONNX Runtime.
Variable collected_values(const NodeCall& n, const std::vector<Variable>& values, size_t output,
                          int64_t axis) {
    if (!values.empty()) return stack(values, n.axis(axis, values[0].rank() + 1));
    const std::optional<Type> declared = n.graph_output_type("body", int(output));
    if (!declared) n.unsupported("values of a body that never runs and does not say their type");
    Type none = *declared;
    none.shape.insert(n.axis(axis, none.shape.rank() + 1), 0);
    return Variable(Array::zeros(none), false);
}

Items chosen(const NodeCall& n) {
    return n.run_graph(n.value(0, any_number) != 0 ? "then_branch" : "else_branch", {});
}

Items looped(const NodeCall& n) {
    const int64_t most = n.has(0) ? n.value(0, any_number) : any_number.most;
    bool go_on = !n.has(1) || n.value(1, any_number) != 0;
    const size_t carried = size_t(std::max(n.count() - 2, 0)), outputs = size_t(n.output_count());
    if (outputs < carried) n.wrong("it has fewer outputs than carried values");
    Items state(n.items().begin() + long(std::min<size_t>(2, n.items().size())), n.items().end());
    std::vector<std::vector<Variable>> scans(outputs - carried);
    for (int64_t i = 0; i < most && go_on; ++i) {
        Items inputs{Variable(Array::scalar(i), false),
                     Variable(Array::full({Dtype::bool_, Shape{}}, 1), false)};
        inputs.insert(inputs.end(), state.begin(), state.end());
        const Items results = n.run_graph("body", inputs);
        if (results.size() != 1 + outputs)
            n.wrong(fmt::format("its body has {} outputs, {} are expected", results.size(),
                                1 + outputs));
        const Variable& condition = array_of(n, results[0]);
        if (condition.size() != 1)
            n.wrong(fmt::format("its body gives the condition {}; expected is one element",
                                to_string(condition.type())));
        go_on = condition.array().item<bool>();
        for (size_t k = 0; k < carried; ++k) state[k] = results[k + 1];
        for (size_t k = 0; k < scans.size(); ++k)
            scans[k].push_back(array_of(n, results[carried + k + 1]));
    }
    Items all = state;
    for (size_t k = 0; k < scans.size(); ++k)
        all.push_back(collected_values(n, scans[k], 1 + carried + k, 0));
    return all;
}

Variable item_of(const Variable& x, int axis, int64_t i) {
    Shape shape = x.shape();
    shape.erase(axis);
    return reshape(slice_axis(x, axis, i, 1), shape);
}

/// Opset 9 and later: states, then sequences along their axes and directions.
Variables scanned(const NodeCall& n) {
    if (n.opset() < 9) n.unsupported("opset 8 with batches");
    const size_t sequences = size_t(n.integer("num_scan_inputs", {1, n.count()})),
                 states = size_t(n.count()) - sequences;
    if (size_t(n.output_count()) < states)
        n.wrong(fmt::format("it has {} outputs for {} states", n.output_count(), states));
    const size_t results = size_t(n.output_count()) - states;
    constexpr Within axis, direction{0, 1};
    const auto in_axes = n.integers("scan_input_axes", sequences, axis, 0),
               out_axes = n.integers("scan_output_axes", results, axis, 0);
    const auto in_back = n.integers("scan_input_directions", sequences, direction, 0),
               out_back = n.integers("scan_output_directions", results, direction, 0);
    std::vector<Variable> state;
    for (size_t k = 0; k < states; ++k) state.push_back(n[int(k)]);
    std::vector<std::vector<Variable>> collected(results);
    int64_t steps = 0;
    for (size_t k = 0; k < sequences; ++k) {
        const Variable& x = n[int(states + k)];
        const int64_t size = x.shape()[n.axis(in_axes[k], x.rank())];
        if (k > 0 && size != steps)
            n.wrong(fmt::format("its sequences have {} and {} elements", steps, size));
        steps = size;
    }
    for (int64_t t = 0; t < steps; ++t) {
        Items inputs(state.begin(), state.end());
        for (size_t k = 0; k < sequences; ++k) {
            const Variable& x = n[int(states + k)];
            inputs.push_back(
                item_of(x, n.axis(in_axes[k], x.rank()), in_back[k] ? steps - 1 - t : t));
        }
        const Items outputs = n.run_graph("body", inputs);
        if (outputs.size() != states + results) n.wrong("its body has another number of outputs");
        for (size_t k = 0; k < states; ++k) state[k] = array_of(n, outputs[k]);
        for (size_t k = 0; k < results; ++k)
            collected[k].push_back(array_of(n, outputs[states + k]));
    }
    Variables all;
    for (const Variable& v : state) all.push_back(v);
    for (size_t k = 0; k < results; ++k) {
        if (out_back[k]) std::reverse(collected[k].begin(), collected[k].end());
        all.push_back(collected_values(n, collected[k], states + k, out_axes[k]));
    }
    return all;
}

const int control_importers = add_importers({{"If", chosen}, {"Loop", looped}, {"Scan", scanned}});

}  // namespace
}  // namespace catena::onnx
