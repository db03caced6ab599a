#include "frontend/link/rnn/stateful_lstm.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/noise/dropconnect.h"
#include "runtime/ops/rnn/rnn.h"

namespace catena {
namespace {

struct Before {
    Variable c, h;
};
Before states_before(const RecurrentMemory& memory, const Variable& gates, int64_t units,
                     Device& device) {
    if (!memory.is_empty()) return {memory[0], memory[1]};
    const DeviceScope beside(device);
    const Variable zeros = fill({gates.dtype(), {gates.shape()[0], units}}, 0);
    return {zeros, zeros};
}

}  // namespace

StatefulPeepholeLSTM::StatefulPeepholeLSTM(std::optional<int64_t> in_size, int64_t out_size)
    : upward(in_size, 4 * out_size),
      lateral(out_size, 4 * out_size, {.nobias = true}),
      peep_i(out_size, out_size, {.nobias = true}),
      peep_f(out_size, out_size, {.nobias = true}),
      peep_o(out_size, out_size, {.nobias = true}),
      out_size_(out_size) {
    list_child("upward", upward);
    list_child("lateral", lateral);
    list_child("peep_i", peep_i);
    list_child("peep_f", peep_f);
    list_child("peep_o", peep_o);
}

Variable StatefulPeepholeLSTM::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] {
        const Variable from_x = upward(x);
        const Before before = states_before(memory_, from_x, out_size_, upward.W.home());
        const Shape apart{from_x.shape()[0], out_size_, 4};
        const Variables g = separate(reshape(from_x + lateral(before.h), apart), 2);
        const Variable i = sigmoid(g[1] + peep_i(before.c)), f = sigmoid(g[2] + peep_f(before.c));
        const Variable c = tanh(g[0]) * i + f * before.c;
        const Variable h = sigmoid(g[3] + peep_o(c)) * tanh(c);
        memory_.name_beside(upward.W, "upward/W");
        memory_.store({c, h}, upward.W.home());
        return h;
    });
}

StatefulZoneoutLSTM::StatefulZoneoutLSTM(std::optional<int64_t> in_size, int64_t out_size,
                                         double c_ratio, double h_ratio)
    : upward(in_size, 4 * out_size),
      lateral(out_size, 4 * out_size, {.nobias = true}),
      out_size_(out_size),
      c_ratio_(c_ratio),
      h_ratio_(h_ratio) {
    list_child("upward", upward);
    list_child("lateral", lateral);
}

Variable StatefulZoneoutLSTM::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] {
        const Variable from_x = upward(x);
        const Before before = states_before(memory_, from_x, out_size_, upward.W.home());
        const LstmResult next = lstm(before.c, from_x + lateral(before.h));
        const Variable c = zoneout(before.c, next.c, c_ratio_),
                       h = zoneout(before.h, next.h, h_ratio_);
        memory_.name_beside(upward.W, "upward/W");
        memory_.store({c, h}, upward.W.home());
        return h;
    });
}

}  // namespace catena
