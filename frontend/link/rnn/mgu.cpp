#include "frontend/link/rnn/mgu.h"

#include "runtime/core/array/device.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"

namespace catena {
namespace {

/// One step of an MGU, for either of the links, which have the same members.
template <class Gates>
Variable mgu_step(Gates& g, const Variable& h, const Variable& x) {
    const Variable f = sigmoid(g.W_f(concat({h, x}, 1)));
    return (1.0 - f) * h + f * tanh(g.W_h(concat({f * h, x}, 1)));
}

}  // namespace

StatelessMGU::StatelessMGU(int64_t n_inputs, int64_t n_units)
    : W_f(n_inputs + n_units, n_units), W_h(n_inputs + n_units, n_units) {
    list_child("W_f", W_f);
    list_child("W_h", W_h);
}

Variable StatelessMGU::operator()(const Variable& h, const Operand& x) {
    LocationScope scope(x.location());
    return called({&h, &x.variable()}, [&] { return mgu_step(*this, h, x); });
}

StatefulMGU::StatefulMGU(int64_t in_size, int64_t out_size)
    : W_f(in_size + out_size, out_size), W_h(in_size + out_size, out_size), out_size_(out_size) {
    list_child("W_f", W_f);
    list_child("W_h", W_h);
}

Variable StatefulMGU::operator()(const Operand& operand) {
    LocationScope scope(operand.location());
    return called(operand, [&] {
        const Variable& x = operand;
        Variable h = memory_[0];
        if (!h.defined()) {
            const DeviceScope beside(W_f.W.home());
            h = fill({x.dtype(), {x.shape()[0], out_size_}}, 0);
        }
        h = mgu_step(*this, h, x);
        memory_.name_beside(W_f.W, "W_f/W");
        memory_.store({h}, W_f.W.home());
        return h;
    });
}

}  // namespace catena
