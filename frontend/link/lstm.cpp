#include "frontend/link/lstm.h"

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/graph/first_way.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/arithmetic.h"
#include "runtime/ops/indexing.h"
#include "runtime/ops/joining.h"
#include "runtime/ops/rnn.h"

namespace catena {
namespace {

constexpr int gates = 4;  // a, i, f, o
constexpr int forget_gate = 2;

/// Row blocks of W, one a gate, are drawn one by one, so that their fans are those of one gate.
Initializer by_blocks(const Initializer& each) {
    return Initializer(each.description() + " by gate", [each](const Type& type) {
        Shape part = type.shape;
        part[0] /= gates;
        Array whole = Array::empty(type, cpu_device());
        for (int gate = 0; gate < gates; ++gate)
            copy_elements(each({type.dtype, part}),
                          whole.view(part, whole.strides(), gate * part[0] * whole.strides()[0]));
        return whole;
    }, each.dtype());
}

/// The gates of a unit lie side by side in the bias.
Initializer by_units(const Initializer& bias, const Initializer& forget_bias) {
    return Initializer("by gate", [=](const Type& type) {
        Shape part{type.shape[0] / gates};
        Array whole = Array::empty(type, cpu_device());
        for (int gate = 0; gate < gates; ++gate)
            copy_elements((gate == forget_gate ? forget_bias : bias)({type.dtype, part}),
                          whole.view(part, {gates}, gate));
        return whole;
    }, bias.dtype());
}

Variable rows(const Variable& x, int64_t begin, int64_t end) { return get_item(x, {slice(begin, end)}); }

}  // namespace

Variable LSTM::Memory::value() const {
    if (!state.is_initialized()) return Variable();
    // A compiled program, or a copy of the link, gave the state another array: the graph is not its.
    const bool current = recent.defined() && recent.array() == state.array();
    return current && (!chained || recent.body()->creator) ? recent : Variable(state);
}

void LSTM::Memory::store(const Variable& value) {
    recent = value;
    chained = bool(value.body()->creator);
    if (state.is_initialized() && state.type() == value.type())
        assign(state, value);
    else
        state.set_array(value.array());
}

void LSTM::Memory::zero(const Type& type) {
    recent = Variable();
    RecorderScope paused(nullptr);
    state.set_array(Array::zeros(type));
}

LSTM::LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options)
    : upward(in_size, gates * out_size,
             {.initialW = by_blocks(options.upward_init),
              .initial_bias = by_units(options.bias_init, options.forget_bias_init)}),
      lateral(out_size, gates * out_size, {.nobias = true, .initialW = by_blocks(options.lateral_init)}),
      out_size_(out_size) {
    list_child("upward", upward);
    list_child("lateral", lateral);
    c_.state.set_name("c");
    h_.state.set_name("h");
}

Variable LSTM::operator()(const Operand& operand) {
    LocationScope scope(operand.location());
    Variable gates_in = upward(operand);
    int64_t n = gates_in.shape()[0];
    bool fits = c_.state.is_initialized() && (!fresh_ || c_.state.shape()[0] == n);
    if (!fits) {
        DeviceScope device(upward.W.device());
        c_.zero({gates_in.dtype(), {n, out_size_}});
        h_.zero({gates_in.dtype(), {n, out_size_}});
        // A region that resets and then makes the state must reset it at every replay too; later it will do so
        // before this call.
        if (reset_by_ && reset_by_ == current_recorder()) {
            zero_states();
            note_first_way();
        }
    }
    reset_by_ = nullptr;
    fresh_ = false;
    Variable c = c_.value(), h = h_.value();
    int64_t kept = h.shape()[0];
    if (n > kept)
        fail<ShapeError>("LSTM: the batch has {} rows, the state only {}; call reset_state() before a larger batch",
                         n, kept);
    auto [c_next, y] = lstm(c, gates_in + lateral(kept == n ? h : rows(h, 0, n)));
    c_.store(c_next);
    if (kept == n) {
        h_.store(y);
    } else {
        Variable parts[] = {y, rows(h, n, kept)};
        h_.store(concat(parts, 0));
    }
    return y;
}

void LSTM::reset_state() {
    fresh_ = true;
    reset_by_ = current_recorder();
    zero_states();
}

void LSTM::zero_states() {
    for (Memory* memory : {&c_, &h_}) {
        memory->recent = Variable();
        if (memory->state.is_initialized()) assign(memory->state, fill(memory->state.type(), 0));
    }
}

void LSTM::set_state(const Variable& c, const Variable& h) {
    fresh_ = false;
    c_.store(c);
    h_.store(h);
}

Variable LSTM::c() const { return c_.value(); }
Variable LSTM::h() const { return h_.value(); }

void LSTM::move_states(Device& device) {
    for (Memory* memory : {&c_, &h_}) {
        memory->recent = Variable();
        if (memory->state.is_initialized()) memory->state.set_array(memory->state.array().to(device));
    }
}

}  // namespace catena
