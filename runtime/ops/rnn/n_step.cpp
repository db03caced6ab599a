#include "runtime/ops/rnn/n_step.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/noise/noise.h"
#include "runtime/ops/rnn/recurrent_layer.h"

namespace catena {
namespace {

/// A call of one of the functions.
struct Call {
    const char* function;
    RecurrentCell cell;
    NStepOptions options;
    const Variable &hx, &cx;
    const NStepWeights &ws, &bs;

    int64_t directions() const { return options.both_directions ? 2 : 1; }
    int64_t layers() const { return options.n_layers * directions(); }
    size_t gates() const { return size_t(widths_of(cell).gates); }
};

// n_step_c2: ws and bs have a list for each layer and direction, with two entries for each gate
void check_counts(const Call& c) {
    if (c.options.n_layers < 1)
        fail<ValueError>("{}: n_layers should be 1 or more, it is {}", c.function,
                         c.options.n_layers);
    const auto check = [&](const char* name, const NStepWeights& lists) {
        if (int64_t(lists.size()) != c.layers())
            fail<ValueError>("{}: {} should have {} lists ({} layers, {} directions), it has {}",
                             c.function, name, c.layers(), c.options.n_layers, c.directions(),
                             lists.size());
        for (size_t k = 0; k < lists.size(); ++k)
            if (lists[k].size() != 2 * c.gates())
                fail<ValueError>("{}: {}[{}] should have {} arrays, it has {}", c.function, name, k,
                                 2 * c.gates(), lists[k].size());
    };
    check("ws", c.ws);
    check("bs", c.bs);
}

// n_step_c3: states [S, B, N]; weights [N, inputs] or [N, N], biases [N]
void check_shapes(const Call& c, int64_t batch, int64_t features) {
    const Variable& first = c.ws[0].back();
    const int64_t units = first.rank() == 2 ? first.shape()[0] : 0;
    const auto expect = [&](const std::string& name, const Variable& x, const Shape& shape) {
        if (x.shape() != shape)
            fail<ShapeError>("{}: {} should be {}, it is {}", c.function, name, to_string(shape),
                             to_string(x.shape()));
    };
    if (first.rank() == 2 && c.ws[0][0].rank() == 2 && c.ws[0][0].shape()[0] == units &&
        c.ws[0][0].shape()[1] != features)
        fail<ShapeError>(
            "{}: the sequences have {} features, the first layer takes {} (ws[0][0] is {})",
            c.function, features, c.ws[0][0].shape()[1], to_string(c.ws[0][0].shape()));
    if (c.hx.defined()) expect("hx", c.hx, {c.layers(), batch, units});
    if (c.cx.defined()) expect("cx", c.cx, {c.layers(), batch, units});
    for (size_t k = 0; k < c.ws.size(); ++k)
        for (size_t i = 0; i < c.ws[k].size(); ++i) {
            const bool of_input = i < c.gates();
            const int64_t inputs = !of_input                     ? units
                                   : int64_t(k) < c.directions() ? features
                                                                 : units * c.directions();
            expect(fmt::format("ws[{}][{}]", k, i), c.ws[k][i], {units, inputs});
            expect(fmt::format("bs[{}][{}]", k, i), c.bs[k][i], {units});
        }
}

/// Layer k of states [S, B, N].
Variable state_of(const Variable& states, int64_t k, const Type& type) {
    return states.defined() ? reshape(slice_axis(states, 0, k, 1), type.shape) : fill(type, 0);
}

NStepRows run(const Call& c, const SequenceRows& x) {
    check_counts(c);
    if (x.rows.rank() != 2)
        fail<ShapeError>("{}: rows should be [total,features], they are {}", c.function,
                         to_string(x.rows.shape()));
    if (x.lengths.rank() != 1)
        fail<ShapeError>("{}: lengths should be [B], they are {}", c.function,
                         to_string(x.lengths.shape()));
    const int64_t batch = x.lengths.shape()[0];
    check_shapes(c, batch, x.rows.shape()[1]);
    const Type state{x.rows.dtype(), Shape{batch, c.ws[0][0].shape()[0]}};
    const DeviceScope beside(x.rows.device());
    const bool has_memory = widths_of(c.cell).has_memory;
    std::vector<Variable> hs, cs;
    Variable rows = x.rows;
    for (int64_t layer = 0; layer < c.options.n_layers; ++layer) {
        if (layer > 0 && c.options.dropout_ratio != 0)
            rows = dropout(rows, c.options.dropout_ratio);
        std::vector<Variable> ys;
        for (int64_t direction = 0; direction < c.directions(); ++direction) {
            const int64_t k = layer * c.directions() + direction;
            const std::span<const Variable> w = c.ws[size_t(k)], b = c.bs[size_t(k)];
            const RecurrentStates next = recurrent_layer(
                c.cell,
                {.x = linear(rows, concat(w.first(c.gates()), 0), concat(b.first(c.gates()), 0)),
                 .h = state_of(c.hx, k, state),
                 .c = has_memory ? state_of(c.cx, k, state) : Variable(),
                 .R = concat(w.last(c.gates()), 0),
                 .b = concat(b.last(c.gates()), 0),
                 .lengths = x.lengths,
                 .order = x.order,
                 .reverse = direction == 1});
            ys.push_back(next.y);
            hs.push_back(next.h);
            if (has_memory) cs.push_back(next.c);
        }
        rows = ys.size() == 1 ? ys[0] : concat(ys, 1);
    }
    return {stack(hs, 0), has_memory ? stack(cs, 0) : Variable(), rows};
}

/// Steps [B_t, features] as rows, and where they end.
struct Steps {
    SequenceRows x;
    std::vector<int64_t> cuts;
};
Steps joined(const char* function, std::span<const Variable> xs) {
    if (xs.empty()) fail<ValueError>("{}: xs is empty, at least one step is needed", function);
    for (size_t t = 0; t < xs.size(); ++t) {
        if (xs[t].rank() != 2)
            fail<ShapeError>("{}: xs[{}] should be [B,features], it is {}", function, t,
                             to_string(xs[t].shape()));
        if (t > 0 && xs[t].shape()[0] > xs[t - 1].shape()[0])
            fail<ShapeError>(
                "{}: xs[{}] {} has more sequences than xs[{}] {}; sort them by decreasing length",
                function, t, to_string(xs[t].shape()), t - 1, to_string(xs[t - 1].shape()));
    }
    std::vector<int32_t> lengths(size_t(xs[0].shape()[0]), 0);
    std::vector<int64_t> cuts;
    int64_t row = 0;
    for (const Variable& x : xs) {
        for (int64_t b = 0; b < x.shape()[0]; ++b) ++lengths[size_t(b)];
        cuts.push_back(row += x.shape()[0]);
    }
    cuts.pop_back();
    return {{concat(xs, 0), constant(lengths, {int64_t(lengths.size())}, xs[0]), RowOrder::by_step},
            cuts};
}

RecurrentCell cell_of(NStepActivation activation) {
    return activation == NStepActivation::tanh ? RecurrentCell::tanh : RecurrentCell::relu;
}

NStepLstmResult run_steps(const Call& c, std::span<const Variable> xs) {
    const Steps steps = joined(c.function, xs);
    const NStepRows y = run(c, steps.x);
    const Variables ys = split_axis(y.ys, std::span<const int64_t>(steps.cuts), 0);
    return {y.hy, y.cy, {ys.begin(), ys.end()}};
}
NStepResult without_memory(NStepLstmResult y) { return {y.hy, std::move(y.ys)}; }

const Variable none;

}  // namespace

SequenceRows rows_of_sequences(std::span<const Variable> xs) {
    if (xs.empty())
        fail<ValueError>("rows_of_sequences: there is no sequence, at least one is needed");
    std::vector<int32_t> lengths;
    for (const Variable& x : xs) {
        if (x.rank() < 1)
            fail<ShapeError>("rows_of_sequences: xs[{}] should be [length,...], it is a scalar",
                             lengths.size());
        if (x.rank() != xs[0].rank())
            fail<ShapeError>(
                "rows_of_sequences: xs[{}] is {}, xs[0] is {}: sequences have rows of one shape; "
                "the rows of all sequences and "
                "their lengths are SequenceRows{{rows, lengths}}",
                lengths.size(), to_string(x.shape()), to_string(xs[0].shape()));
        lengths.push_back(int32_t(x.shape()[0]));
    }
    return {concat(xs, 0), constant(lengths, {int64_t(lengths.size())}, xs[0]),
            RowOrder::by_sequence};
}

std::vector<Variable> sequences_of_rows(const SequenceRows& x) {
    CATENA_ASSERT(x.order == RowOrder::by_sequence,
                  "sequences_of_rows: the rows of a sequence are not neighbours");
    std::vector<int64_t> cuts;
    int64_t row = 0;
    for (int64_t length : x.lengths.array().to_vector<int64_t>()) cuts.push_back(row += length);
    if (!cuts.empty()) cuts.pop_back();
    const Variables parts = split_axis(x.rows, std::span<const int64_t>(cuts), 0);
    return {parts.begin(), parts.end()};
}

NStepRows n_step_rnn_rows(const NStepOptions& options, const Variable& hx, const NStepWeights& ws,
                          const NStepWeights& bs, const SequenceRows& x,
                          NStepActivation activation) {
    return run({"n_step_rnn", cell_of(activation), options, hx, none, ws, bs}, x);
}
NStepRows n_step_gru_rows(const NStepOptions& options, const Variable& hx, const NStepWeights& ws,
                          const NStepWeights& bs, const SequenceRows& x) {
    return run({"n_step_gru", RecurrentCell::gru, options, hx, none, ws, bs}, x);
}
NStepRows n_step_lstm_rows(const NStepOptions& options, const Variable& hx, const Variable& cx,
                           const NStepWeights& ws, const NStepWeights& bs, const SequenceRows& x) {
    return run({"n_step_lstm", RecurrentCell::lstm, options, hx, cx, ws, bs}, x);
}

NStepResult n_step_rnn(int64_t n_layers, double dropout_ratio, const Variable& hx,
                       const NStepWeights& ws, const NStepWeights& bs, std::span<const Variable> xs,
                       NStepActivation activation) {
    return without_memory(run_steps(
        {"n_step_rnn", cell_of(activation), {n_layers, dropout_ratio, false}, hx, none, ws, bs},
        xs));
}
NStepResult n_step_birnn(int64_t n_layers, double dropout_ratio, const Variable& hx,
                         const NStepWeights& ws, const NStepWeights& bs,
                         std::span<const Variable> xs, NStepActivation activation) {
    return without_memory(run_steps(
        {"n_step_birnn", cell_of(activation), {n_layers, dropout_ratio, true}, hx, none, ws, bs},
        xs));
}
NStepResult n_step_gru(int64_t n_layers, double dropout_ratio, const Variable& hx,
                       const NStepWeights& ws, const NStepWeights& bs,
                       std::span<const Variable> xs) {
    return without_memory(run_steps(
        {"n_step_gru", RecurrentCell::gru, {n_layers, dropout_ratio, false}, hx, none, ws, bs},
        xs));
}
NStepResult n_step_bigru(int64_t n_layers, double dropout_ratio, const Variable& hx,
                         const NStepWeights& ws, const NStepWeights& bs,
                         std::span<const Variable> xs) {
    return without_memory(run_steps(
        {"n_step_bigru", RecurrentCell::gru, {n_layers, dropout_ratio, true}, hx, none, ws, bs},
        xs));
}
NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const Variable& cx, const NStepWeights& ws, const NStepWeights& bs,
                            std::span<const Variable> xs) {
    return run_steps(
        {"n_step_lstm", RecurrentCell::lstm, {n_layers, dropout_ratio, false}, hx, cx, ws, bs}, xs);
}
NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio, const Variable& hx,
                              const Variable& cx, const NStepWeights& ws, const NStepWeights& bs,
                              std::span<const Variable> xs) {
    return run_steps(
        {"n_step_bilstm", RecurrentCell::lstm, {n_layers, dropout_ratio, true}, hx, cx, ws, bs},
        xs);
}

}  // namespace catena
