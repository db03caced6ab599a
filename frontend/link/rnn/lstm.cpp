#include "frontend/link/rnn/lstm.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"

namespace catena {
namespace {

constexpr int gates = 4;  // a, i, f, o
constexpr int forget_gate = 2;

/// Row blocks of W, one per gate, are initialised separately, so that their fans are those of one
/// gate.
Initializer by_blocks(const Initializer& each) {
    return Initializer(
        each.description() + " by gate",
        [each](const Type& type) {
            Shape part = type.shape;
            part[0] /= gates;
            Array whole = Array::empty(type, cpu_device());
            for (int gate = 0; gate < gates; ++gate)
                copy_elements(
                    each({type.dtype, part}),
                    whole.view(part, whole.strides(), gate * part[0] * whole.strides()[0]));
            return whole;
        },
        each.dtype());
}

/// The gates of a unit are interleaved in the bias.
Initializer by_units(const Initializer& bias, const Initializer& forget_bias) {
    return Initializer(
        "by gate",
        [=](const Type& type) {
            Shape part{type.shape[0] / gates};
            Array whole = Array::empty(type, cpu_device());
            for (int gate = 0; gate < gates; ++gate)
                copy_elements((gate == forget_gate ? forget_bias : bias)({type.dtype, part}),
                              whole.view(part, {gates}, gate));
            return whole;
        },
        bias.dtype());
}

Linear upward_of(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options) {
    return Linear(in_size, gates * out_size,
                  {.initialW = by_blocks(options.upward_init),
                   .initial_bias = by_units(options.bias_init, options.forget_bias_init)});
}
Linear lateral_of(int64_t out_size, const LSTMOptions& options) {
    return Linear(out_size, gates * out_size,
                  {.nobias = true, .initialW = by_blocks(options.lateral_init)});
}

Variable rows(const Variable& x, int64_t begin, int64_t end) {
    return get_item(x, {slice(begin, end)});
}

Variable zeros(const Variable& like, int64_t units, Device& device) {
    const DeviceScope beside(device);
    return fill({like.dtype(), {like.shape()[0], units}}, 0);
}

}  // namespace

LSTM::LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options)
    : upward(upward_of(in_size, out_size, options)),
      lateral(lateral_of(out_size, options)),
      out_size_(out_size) {
    list_child("upward", upward);
    list_child("lateral", lateral);
}

Variable LSTM::operator()(const Operand& operand) {
    LocationScope scope(operand.location());
    return called(operand, [&] { return next(operand); });
}

Variable LSTM::next(const Variable& x) {
    Variable gates_in = upward(x);
    const int64_t n = gates_in.shape()[0];
    Device& device = upward.W.home();
    Variable c = memory_[0], h = memory_[1];
    if (!h.defined()) c = h = zeros(gates_in, out_size_, device);
    const int64_t kept = h.shape()[0];
    if (n > kept)
        fail<ShapeError>(
            "LSTM: the batch has {} rows, the state only {}; call reset_state() before a larger "
            "batch",
            n, kept);
    memory_.name_beside(upward.W, "upward/W");
    auto [c_next, y] = lstm(c, gates_in + lateral(kept == n ? h : rows(h, 0, n)));
    memory_.store({c_next, kept == n ? y : concat({y, rows(h, n, kept)}, 0)}, device);
    return y;
}

StatelessLSTM::StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size,
                             const LSTMOptions& options)
    : upward(upward_of(in_size, out_size, options)),
      lateral(lateral_of(out_size, options)),
      out_size_(out_size) {
    list_child("upward", upward);
    list_child("lateral", lateral);
}

LstmResult StatelessLSTM::operator()(const Variable& c, const Variable& h, const Operand& x) {
    LocationScope scope(x.location());
    return called({&c, &h, &x.variable()}, [&] {
        Variable gates_in = upward(x);
        if (h.defined()) gates_in = gates_in + lateral(h);
        return lstm(c.defined() ? c : zeros(gates_in, out_size_, upward.W.home()), gates_in);
    });
}

}  // namespace catena
