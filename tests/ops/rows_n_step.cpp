// Recurrent networks over sequences of different lengths, against loops over single sequences.
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::n_step_rows {

namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

constexpr int64_t sizes[] = {3, 3, 2,
                             1};  // Sequences that have each step: their lengths are 4, 3 and 2.
constexpr int64_t steps = 4, batch = 3, features = 2, units = 3;

enum class Kind { tanh, relu, gru, lstm };

struct Network {
    Kind kind;
    int64_t layers, directions;
    int64_t gates() const { return kind == Kind::lstm ? 4 : kind == Kind::gru ? 3 : 1; }
    int64_t states() const { return kind == Kind::lstm ? 2 : 1; }
    int64_t arrays() const { return layers * directions * 2 * gates(); }
};

using Row1 = std::vector<double>;

/// One layer and direction on one sequence.
struct Layer {
    const Network& net;
    const Reference *w, *b;  ///< 2 gates() each.
    Row1 h, c;

    double from(size_t gate, const Row1& x, int64_t u) const {
        double sum = b[gate].values[size_t(u)];
        for (size_t i = 0; i < x.size(); ++i) sum += w[gate](u, int64_t(i)) * x[i];
        return sum;
    }
    void step(const Row1& x) {
        const Row1 old = h;
        const auto both = [&](size_t gate, int64_t u) {
            return from(gate, x, u) + from(gate + size_t(net.gates()), old, u);
        };
        for (int64_t u = 0; u < units; ++u) {
            double& out = h[size_t(u)];
            if (net.kind == Kind::tanh) out = std::tanh(both(0, u));
            if (net.kind == Kind::relu) out = std::max(0.0, both(0, u));
            if (net.kind == Kind::gru) {
                const double r = logistic(both(0, u)), z = logistic(both(1, u));
                out = (1 - z) * std::tanh(from(2, x, u) + r * from(5, old, u)) + z * old[size_t(u)];
            }
            if (net.kind == Kind::lstm) {
                double& cell = c[size_t(u)];
                cell = logistic(both(0, u)) * std::tanh(both(2, u)) + logistic(both(1, u)) * cell;
                out = logistic(both(3, u)) * std::tanh(cell);
            }
        }
    }
};

Truth truth_of(Network net) {
    return {[net](const References& in) {
        const size_t first_w = size_t(net.states()), first_b = first_w + size_t(net.arrays()),
                     first_x = first_b + size_t(net.arrays());
        References out(in.begin(), in.begin() + net.states());  // hy and cy
        for (int64_t n : sizes) out.emplace_back(Shape{n, units * net.directions});
        for (int64_t b = 0; b < batch; ++b) {
            std::vector<Row1> xs;
            for (int64_t t = 0; t < steps && b < sizes[t]; ++t) {
                xs.emplace_back();
                for (int64_t i = 0; i < features; ++i)
                    xs.back().push_back(in[first_x + size_t(t)](b, i));
            }
            for (int64_t layer = 0; layer < net.layers; ++layer) {
                std::vector<Row1> ys(xs.size());
                for (int64_t direction = 0; direction < net.directions; ++direction) {
                    const int64_t k = layer * net.directions + direction;
                    const size_t at = size_t(k * 2 * net.gates());
                    Layer l{net, &in[first_w + at], &in[first_b + at], Row1(size_t(units)),
                            Row1(size_t(units))};
                    for (int64_t u = 0; u < units; ++u) {
                        l.h[size_t(u)] = in[0](k, b, u);
                        if (net.states() == 2) l.c[size_t(u)] = in[1](k, b, u);
                    }
                    for (size_t t = 0; t < xs.size(); ++t) {
                        const size_t at_step = direction == 0 ? t : xs.size() - 1 - t;
                        l.step(xs[at_step]);
                        // The forward half of ys[t] comes first.
                        ys[at_step].insert(ys[at_step].end(), l.h.begin(), l.h.end());
                    }
                    for (int64_t u = 0; u < units; ++u) {
                        out[0](k, b, u) = l.h[size_t(u)];
                        if (net.states() == 2) out[1](k, b, u) = l.c[size_t(u)];
                    }
                }
                xs = ys;
            }
            for (size_t t = 0; t < xs.size(); ++t)
                for (size_t u = 0; u < xs[t].size(); ++u)
                    out[size_t(net.states()) + t](b, int64_t(u)) = xs[t][u];
        }
        return out;
    }};
}

std::vector<Input> inputs_of(const Network& net) {
    std::vector<Input> inputs;
    const int64_t layers = net.layers * net.directions;
    for (int64_t s = 0; s < net.states(); ++s)
        inputs.push_back({.shape = {layers, batch, units}, .low = -1, .high = 1});
    for (int64_t k = 0; k < layers; ++k)
        for (int64_t i = 0; i < 2 * net.gates(); ++i) {
            const int64_t width = i >= net.gates()     ? units
                                  : k < net.directions ? features
                                                       : units * net.directions;
            inputs.push_back({.shape = {units, width}, .low = -1, .high = 1});
        }
    for (int64_t k = 0; k < net.arrays(); ++k)
        inputs.push_back({.shape = {units}, .low = -1, .high = 1});
    for (int64_t n : sizes) inputs.push_back({.shape = {n, features}});
    return inputs;
}

Row row(const char* op, const char* function, const char* note, Network net) {
    Row r{.op = op,
          .function = function,
          .note = note,
          .set = {{"n_layers", std::to_string(net.layers)}, {"dropout_ratio", "0"}},
          .inputs = inputs_of(net),
          .truth = truth_of(net),
          .tolerance = 8};
    if (net.kind == Kind::relu) r.set["activation"] = "'relu'";
    return r;
}

Row rejecting(Row r, std::vector<Reject> rejects) {
    r.rejects = std::move(rejects);
    return r;
}
std::vector<Input> with(std::vector<Input> inputs, size_t at, const Shape& shape) {
    inputs[at].shape = shape;
    return inputs;
}

const Network lstm{Kind::lstm, 1, 1}, rnn{Kind::tanh, 1, 1};
const size_t first_step = inputs_of(lstm).size() - steps;

const int rows = add_rows({
    rejecting(row("n_step.tanh", "n_step_rnn", "tanh", rnn),
              {{.set = {{"activation", "'elu'"}},
                .message = "n_step_rnn: activation is 'elu' and should be 'tanh' or 'relu'"},
               {.set = {{"n_layers", "0"}},
                .message = "n_step_rnn: n_layers should be 1 or more, it is 0"},
               {.set = {{"n_layers", "3"}},
                .message = "n_step_rnn: 9 arrays given; hx, 6 weights, as many biases and the "
                           "steps xs are needed"}}),
    row("n_step.relu", "n_step_rnn", "relu", {Kind::relu, 2, 1}),
    row("n_step.tanh", "n_step_birnn", "", {Kind::tanh, 2, 2}),
    row("n_step.gru", "n_step_gru", "", {Kind::gru, 2, 1}),
    row("n_step.gru", "n_step_bigru", "", {Kind::gru, 1, 2}),
    rejecting(row("n_step.lstm", "n_step_lstm", "", lstm),
              {{.inputs = with(inputs_of(lstm), 0, {1, 2, units}),
                .message = "n_step_lstm: hx should be [1,3,3], it is [1,2,3]"},
               {.inputs = with(inputs_of(lstm), 3, {units, 5}),
                .message = "n_step_lstm: ws[0][1] should be [3,2], it is [3,5]"},
               {.inputs = with(inputs_of(lstm), 11, {4}),
                .message = "n_step_lstm: bs[0][1] should be [3], it is [4]"},
               {.inputs = with(inputs_of(lstm), first_step, {2, features}),
                .message = "n_step_lstm: xs[1] [3,2] has more sequences than xs[0] [2,2]; sort "
                           "them by decreasing length"}}),
    row("n_step.lstm", "n_step_lstm", "layers", {Kind::lstm, 2, 1}),
    row("n_step.lstm", "n_step_bilstm", "", {Kind::lstm, 2, 2}),
});

}  // namespace

}  // namespace catena::testing::n_step_rows
