#include "frontend/link/rnn/n_step.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/joining.h"

namespace catena {
namespace {

constexpr size_t most_weights = 8;

/// The parameters of one layer and direction.
struct Layer : Link {
    Layer(int64_t weights, int64_t in_size, int64_t out_size, const NStepInit& init) {
        for (int64_t i = 0; i < weights; ++i) {
            w[size_t(i)] =
                Parameter(init.initialW, Shape{out_size, i < weights / 2 ? in_size : out_size});
            b[size_t(i)] = Parameter(init.initial_bias, Shape{out_size});
            add_param("w" + std::to_string(i), w[size_t(i)]);
            add_param("b" + std::to_string(i), b[size_t(i)]);
        }
    }
    std::string type_name() const override { return "Link"; }

    /// The weights and biases: as many as the cell has, then empty ones.
    std::array<Parameter, most_weights> w, b;
};

struct Gathered {
    SequenceRows x;
    std::vector<int64_t> cuts;  ///< Where the second sequence begins, the third, ...
};
Gathered gathered(std::span<const Variable> xs) {
    Gathered all{rows_of_sequences(xs), {}};
    int64_t row = 0;
    for (const Variable& x : xs) all.cuts.push_back(row += x.shape()[0]);
    all.cuts.pop_back();
    return all;
}
std::vector<Variable> apart(const Variable& rows, const std::vector<int64_t>& cuts) {
    const Variables parts = split_axis(rows, std::span<const int64_t>(cuts), 0);
    return {parts.begin(), parts.end()};
}

}  // namespace

NStepStack::NStepStack(Kind kind, int64_t n_layers, int64_t in_size, int64_t out_size,
                       double dropout, const NStepInit& init)
    : n_layers_(n_layers),
      in_size_(in_size),
      out_size_(out_size),
      weights_(kind.weights),
      dropout_(dropout),
      both_directions_(kind.both_directions),
      has_memory_(kind.has_memory) {
    if (n_layers < 1 || in_size < 1 || out_size < 1)
        fail<ValueError>(
            "{}: n_layers, in_size and out_size should be positive, they are {}, {} and {}",
            kind.name, n_layers, in_size, out_size);
    const int64_t directions = both_directions_ ? 2 : 1;
    for (int64_t k = 0; k < n_layers * directions; ++k)
        append(Layer(weights_, k < directions ? in_size : out_size * directions, out_size, init));
}

NStepWeights NStepStack::weights(char letter) const {
    NStepWeights all;
    for (size_t k = 0; k < size(); ++k) {
        const Layer& layer = get<Layer>(k);
        const auto& list = letter == 'w' ? layer.w : layer.b;
        all.emplace_back(list.begin(), list.begin() + weights_);
    }
    return all;
}

NStepOptions NStepStack::options() const {
    return {.n_layers = n_layers_, .dropout_ratio = dropout_, .both_directions = both_directions_};
}

Variable NStepStack::init_hx(std::span<const Variable> xs) const {
    if (xs.empty())
        fail<ValueError>("{}: xs is empty, at least one sequence is needed", type_name());
    const DeviceScope beside(xs[0].device());
    return fill({xs[0].dtype(), Shape{int64_t(size()), int64_t(xs.size()), out_size_}}, 0);
}

std::vector<std::pair<std::string, std::string>> NStepStack::printable_specs() const {
    return {{"n_layers", std::to_string(n_layers_)},
            {"in_size", std::to_string(in_size_)},
            {"out_size", std::to_string(out_size_)},
            {"dropout_ratio", fmt::format("{}", dropout_)}};
}

NStepPlain::NStepPlain(std::string name, NStepActivation activation, bool both_directions,
                       int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                       const NStepInit& init)
    : NStepStack({std::move(name), 2, both_directions, false}, n_layers, in_size, out_size, dropout,
                 init),
      activation_(activation) {}
NStepRows NStepPlain::of_rows(const Variable& hx, const SequenceRows& x) const {
    return called_with([&] { return computed(hx, x); }, hx, x.rows);
}
NStepRows NStepPlain::computed(const Variable& hx, const SequenceRows& x) const {
    return n_step_rnn_rows(options(), hx, ws(), bs(), x, activation_);
}
NStepResult NStepPlain::operator()(const Variable& hx, std::span<const Variable> xs,
                                   const std::source_location& at) const {
    const LocationScope scope(at);
    return called_with(
        [&] {
            const Gathered all = gathered(xs);
            const NStepRows y = computed(hx, all.x);
            return NStepResult{y.hy, apart(y.ys, all.cuts)};
        },
        hx, xs);
}

NStepGated::NStepGated(std::string name, bool both_directions, int64_t n_layers, int64_t in_size,
                       int64_t out_size, double dropout, const NStepInit& init)
    : NStepStack({std::move(name), 6, both_directions, false}, n_layers, in_size, out_size, dropout,
                 init) {}
NStepRows NStepGated::of_rows(const Variable& hx, const SequenceRows& x) const {
    return called_with([&] { return computed(hx, x); }, hx, x.rows);
}
NStepRows NStepGated::computed(const Variable& hx, const SequenceRows& x) const {
    return n_step_gru_rows(options(), hx, ws(), bs(), x);
}
NStepResult NStepGated::operator()(const Variable& hx, std::span<const Variable> xs,
                                   const std::source_location& at) const {
    const LocationScope scope(at);
    return called_with(
        [&] {
            const Gathered all = gathered(xs);
            const NStepRows y = computed(hx, all.x);
            return NStepResult{y.hy, apart(y.ys, all.cuts)};
        },
        hx, xs);
}

NStepMemory::NStepMemory(std::string name, bool both_directions, int64_t n_layers, int64_t in_size,
                         int64_t out_size, double dropout, const NStepInit& init)
    : NStepStack({std::move(name), 8, both_directions, true}, n_layers, in_size, out_size, dropout,
                 init) {}
NStepRows NStepMemory::of_rows(const Variable& hx, const Variable& cx,
                               const SequenceRows& x) const {
    return called_with([&] { return computed(hx, cx, x); }, hx, cx, x.rows);
}
NStepRows NStepMemory::computed(const Variable& hx, const Variable& cx,
                                const SequenceRows& x) const {
    return n_step_lstm_rows(options(), hx, cx, ws(), bs(), x);
}
NStepLstmResult NStepMemory::operator()(const Variable& hx, const Variable& cx,
                                        std::span<const Variable> xs,
                                        const std::source_location& at) const {
    const LocationScope scope(at);
    return called_with(
        [&] {
            const Gathered all = gathered(xs);
            const NStepRows y = computed(hx, cx, all.x);
            return NStepLstmResult{y.hy, y.cy, apart(y.ys, all.cuts)};
        },
        hx, cx, xs);
}

NStepRNNTanh::NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                           const NStepInit& init)
    : NStepPlain("NStepRNNTanh", NStepActivation::tanh, false, n_layers, in_size, out_size, dropout,
                 init) {}
NStepRNNReLU::NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                           const NStepInit& init)
    : NStepPlain("NStepRNNReLU", NStepActivation::relu, false, n_layers, in_size, out_size, dropout,
                 init) {}
NStepBiRNNTanh::NStepBiRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                               const NStepInit& init)
    : NStepPlain("NStepBiRNNTanh", NStepActivation::tanh, true, n_layers, in_size, out_size,
                 dropout, init) {}
NStepBiRNNReLU::NStepBiRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                               const NStepInit& init)
    : NStepPlain("NStepBiRNNReLU", NStepActivation::relu, true, n_layers, in_size, out_size,
                 dropout, init) {}
NStepGRU::NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                   const NStepInit& init)
    : NStepGated("NStepGRU", false, n_layers, in_size, out_size, dropout, init) {}
NStepBiGRU::NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                       const NStepInit& init)
    : NStepGated("NStepBiGRU", true, n_layers, in_size, out_size, dropout, init) {}
NStepLSTM::NStepLSTM(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                     const NStepInit& init)
    : NStepMemory("NStepLSTM", false, n_layers, in_size, out_size, dropout, init) {}
NStepBiLSTM::NStepBiLSTM(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                         const NStepInit& init)
    : NStepMemory("NStepBiLSTM", true, n_layers, in_size, out_size, dropout, init) {}

}  // namespace catena
