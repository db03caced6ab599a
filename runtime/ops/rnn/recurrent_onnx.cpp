#include "runtime/ops/rnn/recurrent_onnx.h"

#include "runtime/cpu/recurrent/sequence_steps.h"
#include "runtime/ops/rnn/recurrent_steps.h"

namespace catena {
namespace {

struct Operator {
    const char* type;
    std::vector<int64_t> gates;  ///< Ours, in its order.
};
Operator operator_of(RecurrentCell cell) {
    switch (cell) {
        case RecurrentCell::lstm:
            return {"LSTM", {0, 3, 1, 2}};
        case RecurrentCell::gru:
            return {"GRU", {1, 0, 2}};
        default:
            return {"RNN", {0}};
    }
}

/// Where the rows of x are among padded sequences.
struct Padding {
    OnnxGraph& g;
    bool by_step;
    int mask;  ///< bool [B, T], or [T, B] of rows by step: whether there is a row. They are in the
               ///< order of x.

    Padding(OnnxGraph& graph, int lengths, bool by_step) : g(graph), by_step(by_step) {
        const int longest = g.node("ReduceMax", {lengths}, {{"keepdims", 0}});
        const int steps =
            g.node("Range", {g.number(0, Dtype::int64), longest, g.number(1, Dtype::int64)});
        const int64_t front[] = {0}, back[] = {1};
        mask = g.node("Less", {g.node("Unsqueeze", {steps, g.integers(by_step ? back : front)}),
                               g.node("Unsqueeze", {lengths, g.integers(by_step ? front : back)})});
    }
    /// [T, B, ..] of rows [total, ..]; what is no row is any one.
    int padded(int rows) const {
        const int64_t all[] = {-1};
        const int ones =
            g.node("Reshape", {g.cast(mask, Dtype::bool_, Dtype::int64), g.integers(all)});
        const int counted = g.node("CumSum", {ones, g.number(0, Dtype::int64)});
        const int places = g.node("Max", {g.node("Sub", {counted, g.number(1, Dtype::int64)}),
                                          g.number(0, Dtype::int64)});
        const int by_mask = g.node("Reshape", {places, g.node("Shape", {mask})});
        return g.node("Gather",
                      {rows, by_step ? by_mask
                                     : g.node("Transpose", {by_mask},
                                              {{"perm", std::vector<int64_t>{1, 0}}})},
                      {{"axis", 0}});
    }
    /// The rows of y [T, 1, B, units].
    int rows(int y, const OnnxSize& units) const {
        const int64_t all[] = {-1};
        const int in_order =
            by_step ? y : g.node("Transpose", {y}, {{"perm", std::vector<int64_t>{2, 1, 0, 3}}});
        const int flat = g.node("Reshape", {in_order, g.integers(OnnxSizes{OnnxSize(-1), units})});
        return g.node("Compress", {flat, g.node("Reshape", {mask, g.integers(all)})},
                      {{"axis", 0}});
    }
};

}  // namespace

std::vector<int> write_recurrent(RecurrentCell cell, OnnxCall& call) {
    if (cell == RecurrentCell::relu) return {};  // Its attribute would be a list of texts.
    OnnxGraph& g = call.graph;
    const Operator op = operator_of(cell);
    const size_t memory = widths_of(cell).has_memory;
    const Dtype dtype = call.result();
    const int64_t units = call.constant(call.inputs[1].shape[1], "the units of a recurrent layer"),
                  gates = units * int64_t(op.gates.size());
    const GatePlaces ours = places_of(call.attributes);
    std::vector<int64_t> places;
    for (int64_t gate : op.gates)
        for (int64_t u = 0; u < units; ++u) places.push_back(ours[gate] * units + u);
    const int order = g.integers(places);
    const auto sorted = [&](int value) { return g.node("Gather", {value, order}, {{"axis", 0}}); };
    const int64_t front[] = {0}, square[] = {gates, gates};
    const auto of_direction = [&](int value) {
        return g.node("Unsqueeze", {value, g.integers(front)});
    };
    const int zeros = g.node("ConstantOfShape", {g.integers(square)},
                             {{"value", Array::from<float>({0}).astype(dtype)}});
    const int W = of_direction(sorted(g.node("EyeLike", {zeros})));
    const int R = of_direction(sorted(call.input(int(2 + memory))));
    const int no_bias =
        g.constant(Array::from(std::vector<float>(size_t(gates)), Shape{gates}).astype(dtype));
    const int b = of_direction(
        g.node("Concat", {no_bias, sorted(call.input(int(3 + memory)))}, {{"axis", 0}}));
    const Padding padding(g, call.input(int(4 + memory), Dtype::int64),
                          RowOrder(call.attributes.integer("order")) == RowOrder::by_step);
    std::vector<int> inputs{
        padding.padded(call.input(0)), W, R, b, call.input(int(4 + memory), Dtype::int32),
        of_direction(call.input(1))};
    if (memory) inputs.push_back(of_direction(call.input(2)));
    OnnxAttributes attributes{
        {"hidden_size", units},
        {"direction", std::string(call.attributes.flag("reverse") ? "reverse" : "forward")}};
    if (cell == RecurrentCell::gru) attributes.emplace_back("linear_before_reset", int64_t(1));
    const std::vector<int> results = g.node(op.type, inputs, attributes, int(2 + memory));
    std::vector<int> outputs{padding.rows(results[0], units)};
    for (size_t state = 1; state < results.size(); ++state)
        outputs.push_back(g.node("Squeeze", {results[state], g.integers(front)}));
    outputs.push_back(-1);  // What the steps keep: only the gradient reads it.
    return outputs;
}

}  // namespace catena
