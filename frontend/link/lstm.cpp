#include "frontend/link/lstm.h"

#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/array/indexing.h"
#include "runtime/ops/array/joining.h"
#include "runtime/ops/rnn/rnn.h"

namespace catena {
namespace {

constexpr int gates = 4;  // a, i, f, o
constexpr int forget_gate = 2;

/// Row blocks of W, one per gate, are initialised separately, so that their fans are those of one gate.
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

/// The gates of a unit are interleaved in the bias.
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
    // A compiled program, or a copy of the link, has assigned the state: the stored graph is outdated.
    const bool current = recent.defined() && recent.array() == state.array();
    return current && (!chained || recent.body()->creator) ? recent : Variable(state);
}

void LSTM::Memory::make_room(const Variable& value, Device& device) {
    if (state.is_initialized() && state.type() == value.type()) return;
    DeviceScope scope(device);
    bind_state(*state.body(), Array::zeros(value.type()));
}

void LSTM::Memory::store(const Variable& value, Device& device) {
    make_room(value, device);
    recent = value;
    chained = bool(value.body()->creator);
    assign(state, value);
    if (Recorder* recorder = current_recorder()) recorder->stands_for(state, recent);
}

bool LSTM::is_empty() const {
    return empty_ || (before_recording_.defined() && h_.state.array() == before_recording_);
}

/// "/l1/upward/W" stands in "/l1", whose states are "/l1/c" and "/l1/h".
void LSTM::name_states() {
    std::string path = upward.W.name();
    const std::string own = "upward/W";
    path = path.ends_with("/" + own) ? path.substr(0, path.size() - own.size()) : "";
    if (path == "/") path.clear();
    c_.state.set_name(path + "c");
    h_.state.set_name(path + "h");
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
    return called(operand, [&] { return next(operand); });
}

Variable LSTM::next(const Variable& x) {
    Variable gates_in = upward(x);
    int64_t n = gates_in.shape()[0];
    Device& device = upward.W.home();
    Variable c, h;
    const bool began_empty = is_empty();
    if (began_empty) {
        DeviceScope beside(device);
        c = h = fill({gates_in.dtype(), {n, out_size_}}, 0);
    } else {
        c = c_.value();
        h = h_.value();
    }
    int64_t kept = h.shape()[0];
    if (n > kept)
        fail<ShapeError>("LSTM: the batch has {} rows, the state only {}; call reset_state() before a larger batch",
                         n, kept);
    name_states();
    auto [c_next, y] = lstm(c, gates_in + lateral(kept == n ? h : rows(h, 0, n)));
    c_.store(c_next, device);
    Variable parts[] = {y, kept == n ? Variable() : rows(h, n, kept)};
    const Variable h_next = kept == n ? y : concat(parts, 0);
    h_.make_room(h_next, device);
    if (began_empty) before_recording_ = y.device().is_meta() ? h_.state.array() : Array();
    h_.store(h_next, device);
    empty_ = false;
    return y;
}

void LSTM::reset_state() {
    empty_ = true;
    c_.recent = h_.recent = Variable();
}

void LSTM::set_state(const Variable& c, const Variable& h) {
    c_.store(c, upward.W.home());
    h_.store(h, upward.W.home());
    before_recording_ = Array();
    empty_ = false;
}

Variable LSTM::c() const { return is_empty() ? Variable() : c_.value(); }
Variable LSTM::h() const { return is_empty() ? Variable() : h_.value(); }

void LSTM::move_states(Device& device) {
    for (Memory* memory : {&c_, &h_}) {
        memory->recent = Variable();
        if (memory->state.is_initialized()) memory->state.set_array(memory->state.array().to(device));
    }
}

}  // namespace catena
