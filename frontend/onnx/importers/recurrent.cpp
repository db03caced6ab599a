// Recurrent layers: one operation where theirs is one of Catena's, else unrolled step by step.
#include <algorithm>
#include <optional>
#include <span>

#include "frontend/onnx/importers/quantized.h"
#include "frontend/onnx/importers/shared.h"
#include "runtime/core/array/device.h"
#include "runtime/ops/rnn/cell_steps.h"
#include "runtime/ops/rnn/recurrent_layer.h"

namespace catena::onnx {
namespace {

CellFunction activation_named(const NodeCall& n, const std::string& name) {
    if (name == "Sigmoid") return [](const Variable& x) { return sigmoid(x); };
    if (name == "Tanh") return [](const Variable& x) { return tanh(x); };
    if (name == "Relu") return [](const Variable& x) { return relu(x); };
    if (name == "Softsign") return [](const Variable& x) { return x / (1 + absolute(x)); };
    n.unsupported("the activation " + name);
}

/// What one direction of a layer reads.
struct Direction {
    Variable W, R, bias, recurrent_bias, h, c, peepholes;
    std::vector<CellFunction> activations;
    int64_t hidden = 0;

    CellFunctions functions() const { return {activations[0], activations[1], activations.back()}; }
};

/// Gate k of rows [.., gates * hidden].
Variable gate(const Variable& rows, int64_t k, int64_t hidden) {
    return slice_axis(rows, rows.rank() - 1, k * hidden, hidden);
}

Variable projected(const Variable& x, const Variable& W, const Variable& b) {
    return b.defined() ? linear(x, W, b) : linear(x, W);
}

/// A step computes the next h (and c) in place.
using Step = std::function<void(const NodeCall&, Direction&, const Variable& x)>;

void simple(const NodeCall&, Direction& d, const Variable& x) {
    d.h = d.activations[0](projected(x, d.W, d.bias) + projected(d.h, d.R, d.recurrent_bias));
}

/// Gates z, r, h.
void gru(const NodeCall& n, Direction& d, const Variable& x) {
    const Variable from_x = projected(x, d.W, d.bias),
                   from_h = projected(d.h, d.R, d.recurrent_bias);
    const auto sum = [&](int64_t k) {
        return gate(from_x, k, d.hidden) + gate(from_h, k, d.hidden);
    };
    const auto candidate = [&](const Variable& r) {
        if (n.flag("linear_before_reset"))
            return gate(from_x, 2, d.hidden) + r * gate(from_h, 2, d.hidden);
        const auto last = [&](const Variable& all) {
            return all.defined() ? slice_axis(all, 0, 2 * d.hidden, d.hidden) : Variable();
        };
        return gate(from_x, 2, d.hidden) + projected(r * d.h, last(d.R), last(d.recurrent_bias));
    };
    d.h = gru_step(sum(1), sum(0), candidate, d.h, d.functions());
}

/// Gates i, o, f, c; peepholes i, o, f.
void lstm(const NodeCall& n, Direction& d, const Variable& x) {
    const Variable all = projected(x, d.W, d.bias) + projected(d.h, d.R, d.recurrent_bias);
    const auto sum = [&](int64_t k) { return gate(all, k, d.hidden); };
    const auto peephole = [&](int64_t k) {
        return d.peepholes.defined() ? gate(d.peepholes, k, d.hidden) : Variable();
    };
    const bool coupled = n.flag("input_forget");
    const LstmStep next =
        lstm_step({.i = sum(0), .f = coupled ? Variable() : sum(2), .a = sum(3), .o = sum(1)}, d.c,
                  d.functions(), {.i = peephole(0), .f = peephole(2), .o = peephole(1)});
    d.h = next.h;
    d.c = next.c;
}

/// x as it is on a grid of uint8 of its own.
Variable regridded(const NodeCall& n, const Variable& x) {
    const Grid grid = grid_of(x);
    return real_of(n, on_grid(n, x, grid), grid);
}

void quantized_step(const NodeCall& n, Direction& d, const Variable& x) {
    d.h = regridded(n, d.h);  // Only the product reads it.
    lstm(n, d, x);
}

Variable of_direction(const NodeCall& n, int input, int64_t k) {
    if (!n.has(input)) return {};
    Shape rest = n[input].shape();
    rest.erase(0);
    return reshape(slice_axis(n[input], 0, k, 1), rest);
}

/// y is [steps, batch, hidden].
Variable run_direction(const NodeCall& n, const Step& step, Direction& d, const Variable& x,
                       bool backward) {
    const int64_t steps = x.shape()[0];
    std::vector<Variable> outputs(static_cast<size_t>(steps));
    const Variable lengths =
        n.has(4) ? reshape(cast(n[4], Dtype::int64), {x.shape()[1], 1}) : Variable();
    for (int64_t k = 0; k < steps; ++k) {
        const int64_t t = backward ? steps - 1 - k : k;
        const Variable h = d.h, c = d.c;
        Shape row = x.shape();
        row.erase(0);
        step(n, d, reshape(slice_axis(x, 0, t, 1), row));
        outputs[size_t(t)] = d.h;
        if (!lengths.defined()) continue;
        const Variable alive =
            lengths > double(t);  // Beyond its length a sequence stays as it is and gives zeros.
        outputs[size_t(t)] = where(alive, d.h, 0);
        d.h = where(alive, d.h, h);
        if (c.defined()) d.c = where(alive, d.c, c);
    }
    return stack(outputs, 0);
}

/// An operation that computes all steps, and the order of ONNX's gates in it.
struct Whole {
    RecurrentCell cell;
    GatePlaces gates = {};
};
/// The order of ONNX's gates i, o, f, c and z, r, h in our weights.
constexpr Whole whole_lstm{RecurrentCell::lstm, {{0, 2, 3, 1}}},
    whole_gru{RecurrentCell::gru, {{1, 0, 2, 3}}};

/// Nothing where the layer differs from the operation: other activations, sequences of different
/// lengths, which are padded here, a device whose library computes products better than the
/// operation's own, ...
std::optional<Whole> whole_of(const NodeCall& n, std::span<const std::string> activations) {
    const bool is_wide = n[0].dtype() == Dtype::float32 || n[0].dtype() == Dtype::float64;
    if (!is_wide || !n[0].device().is_host() || n.has(4) || n.has(7) || n.flag("input_forget"))
        return {};
    const auto are = [&](std::initializer_list<const char*> names) {
        return std::ranges::equal(activations, names);
    };
    if (are({"Sigmoid", "Tanh", "Tanh"})) return whole_lstm;
    if (are({"Sigmoid", "Tanh"}) && n.flag("linear_before_reset")) return whole_gru;
    if (are({"Tanh"})) return Whole{RecurrentCell::tanh};
    if (are({"Relu"})) return Whole{RecurrentCell::relu};
    return {};
}

/// y is [steps, batch, hidden].
Variable run_whole(const Whole& whole, Direction& d, const Variable& x, bool backward) {
    const int64_t steps = x.shape()[0], batch = x.shape()[1], gates = d.R.shape()[0];
    const Variable rows = reshape(x, {steps * batch, x.shape()[2]});
    const RecurrentStates last = recurrent_layer(
        whole.cell,
        {.x = projected(rows, d.W, d.bias),
         .h = d.h,
         .c = d.c,
         .R = d.R,
         .b = d.recurrent_bias.defined() ? d.recurrent_bias : fill({x.dtype(), Shape{gates}}, 0),
         .lengths = fill({Dtype::int64, Shape{batch}}, double(steps)),
         .gates = whole.gates,
         .order = RowOrder::by_step,
         .reverse = backward});
    d.h = last.h;
    d.c = last.c;
    return reshape(last.y, {steps, batch, d.hidden});
}

/// What a layer is made of, read from its node and checked against each other.
struct RecurrentNode {
    int64_t directions, batch, hidden, gates;
    bool batch_first, only_backward;
    Variable x;  ///< The sequence, [steps, batch, features].
    /// The names of the activations of each direction.
    std::vector<std::vector<std::string>> activations;
};

/// FileError unless input `i`, where it is there, has this shape.
void check_input(const NodeCall& n, int i, const char* name, const Shape& shape) {
    if (n.has(i) && n[i].shape() != shape)
        n.wrong(fmt::format("{} is {}; expected is {}", name, to_string(n[i].shape()),
                            to_string(shape)));
}

void check_inputs(const NodeCall& n, const RecurrentNode& layer, size_t parts) {
    const int64_t d = layer.directions, gates = layer.gates, hidden = layer.hidden;
    if (gates != int64_t(parts) * hidden)
        n.wrong(fmt::format("W has {} rows in each direction; expected are {} times hidden_size {}",
                            gates, parts, hidden));
    const Shape state =
        layer.batch_first ? Shape{layer.batch, d, hidden} : Shape{d, layer.batch, hidden};
    check_input(n, 1, "W", {d, gates, layer.x.shape()[2]});
    check_input(n, 2, "R", {d, gates, hidden});
    check_input(n, 3, "B", {d, 2 * gates});
    check_input(n, 4, "sequence_lens", {layer.batch});
    check_input(n, 5, "initial_h", state);
    check_input(n, 6, "initial_c", state);
    check_input(n, 7, "P", {d, 3 * hidden});
}

/// `parts`: how many gates there are; `activations` are those of one direction.
RecurrentNode layer_of(const NodeCall& n, size_t parts,
                       const std::vector<std::string>& activations) {
    if (n.has_attribute("clip")) n.unsupported("clip");
    if (n.has_attribute("activation_alpha")) n.unsupported("activation_alpha");
    const std::string direction = n.choice("direction", {"forward", "reverse", "bidirectional"});
    RecurrentNode layer{.directions = direction == "bidirectional" ? 2 : 1,
                        .batch_first = n.flag("layout"),
                        .only_backward = direction == "reverse"};
    layer.x = layer.batch_first ? swapaxes(n.ranked(0, 3, 3), 0, 1) : n.ranked(0, 3, 3);
    layer.batch = layer.x.shape()[1];
    layer.gates = n.ranked(1, 3, 3).shape()[1];
    layer.hidden = n.integer("hidden_size", n.ranked(2, 3, 3).shape()[2], positive);
    check_inputs(n, layer, parts);
    std::vector<std::string> given = n.texts("activations");
    const size_t each = activations.size(), count = size_t(layer.directions);
    if (!n.has_attribute("activations"))
        for (size_t k = 0; k < count; ++k)
            given.insert(given.end(), activations.begin(), activations.end());
    if (given.size() != each * count)
        n.wrong(fmt::format("{} activations; expected are {}", given.size(), each * count));
    for (size_t k = 0; k < count; ++k)
        layer.activations.emplace_back(given.begin() + long(k * each),
                                       given.begin() + long((k + 1) * each));
    return layer;
}

/// The state before the first step of direction k, from input `input`; zeros without it.
Variable initial_state(const NodeCall& n, const RecurrentNode& layer, int input, int64_t k) {
    const Shape shape{layer.batch, layer.hidden};
    if (!n.has(input)) return fill({layer.x.dtype(), shape}, 0);
    return layer.batch_first ? reshape(slice_axis(n[input], 1, k, 1), shape)
                             : of_direction(n, input, k);
}

Direction direction_of(const NodeCall& n, const RecurrentNode& layer, int64_t k, bool has_cell) {
    Direction d;
    d.W = of_direction(n, 1, k);
    d.R = of_direction(n, 2, k);
    d.h = initial_state(n, layer, 5, k);
    d.peepholes = of_direction(n, 7, k);
    d.hidden = layer.hidden;
    if (n.has(3)) {
        const Variable b = of_direction(n, 3, k);
        d.bias = slice_axis(b, 0, 0, layer.gates);
        d.recurrent_bias = slice_axis(b, 0, layer.gates, layer.gates);
    }
    if (has_cell) d.c = initial_state(n, layer, 6, k);
    for (const std::string& name : layer.activations[size_t(k)])
        d.activations.push_back(activation_named(n, name));
    return d;
}

/// What a kind of layer does in each step.
struct LayerKind {
    Step step;
    size_t gates;
    std::vector<std::string> activations;
    bool has_cell = false;
    bool quantizes = false;  ///< Whether the steps do more than the operator's: they quantize.
};

Variables run_layer(const NodeCall& n, const LayerKind& kind) {
    const RecurrentNode layer = layer_of(n, kind.gates, kind.activations);
    std::vector<Variable> ys, hs, cs;
    for (int64_t k = 0; k < layer.directions; ++k) {
        Direction d = direction_of(n, layer, k, kind.has_cell);
        const bool backward = layer.only_backward || k == 1;
        const std::optional<Whole> whole =
            kind.quantizes ? std::nullopt : whole_of(n, layer.activations[size_t(k)]);
        ys.push_back(whole ? run_whole(*whole, d, layer.x, backward)
                           : run_direction(n, kind.step, d, layer.x, backward));
        hs.push_back(d.h);
        cs.push_back(d.c);
    }
    const int at = layer.batch_first ? 1 : 0;
    Variables outputs{stack(ys, 1), stack(hs, at)};
    if (layer.batch_first) outputs[0] = transpose(outputs[0], {2, 0, 1, 3});
    if (kind.has_cell) outputs.push_back(stack(cs, at));
    return outputs;
}

/// Weights [directions, inputs, gates] of integers with a scale for each direction, or for each of
/// its gates.
Variable real_weights(const NodeCall& n, int weights, int scale) {
    const Variable& W = n.ranked(weights, 3, 3);
    const auto beside = [&](const Variable& parameter) {
        return parameter.rank() == 2 ? expand_dims(parameter, 1)
                                     : reshape(parameter, {parameter.size(), 1, 1});
    };
    const Grid grid{beside(n[scale]), n.has(scale + 1) ? beside(n[scale + 1]) : Variable()};
    return transpose(real_of(n, W, grid), {0, 2, 1});
}

/// An LSTM whose products are of integers: x and h are put on grids.
Variables quantized_lstm(const NodeCall& n) {
    std::vector<Variable> inputs{regridded(n, n[0]), real_weights(n, 1, 8), real_weights(n, 2, 10)};
    for (int i = 3; i < 8; ++i) inputs.push_back(n.has(i) ? n[i] : Variable());
    return run_layer(n.with_inputs(std::move(inputs)),
                     {quantized_step, 4, {"Sigmoid", "Tanh", "Tanh"}, true, true});
}

const int recurrent_importers = add_importers({
    Importer("DynamicQuantizeLSTM", quantized_lstm, microsoft).with_weights({3, 7}),
    Importer("RNN", [](const NodeCall& n) { return run_layer(n, {simple, 1, {"Tanh"}}); })
        .with_weights({1, 2, 3}),
    Importer("GRU", [](const NodeCall& n) { return run_layer(n, {gru, 3, {"Sigmoid", "Tanh"}}); })
        .with_weights({1, 2, 3}),
    Importer("LSTM",
             [](const NodeCall& n) {
                 return run_layer(n, {lstm, 4, {"Sigmoid", "Tanh", "Tanh"}, true});
             })
        .with_weights({1, 2, 3, 7}),
});

}  // namespace
}  // namespace catena::onnx
