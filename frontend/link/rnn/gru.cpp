#include "frontend/link/rnn/gru.h"

#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/activation.h"

namespace catena {
namespace {

Linear of_input(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options) {
    return Linear(in_size, out_size, {.initialW = options.init, .initial_bias = options.bias_init});
}
Linear of_state(int64_t out_size, const GRUOptions& options) {
    return Linear(out_size, out_size,
                  {.initialW = options.inner_init, .initial_bias = options.bias_init});
}

/// One step of a GRU, for either of the links, which have the same members; h may be undefined.
template <class Gates>
Variable gru_step(Gates& g, const Variable& h, const Variable& x) {
    if (!h.defined()) return sigmoid(g.W_z(x)) * tanh(g.W(x));
    const Variable r = sigmoid(g.W_r(x) + g.U_r(h)), z = sigmoid(g.W_z(x) + g.U_z(h));
    return (1.0 - z) * h + z * tanh(g.W(x) + g.U(r * h));
}

}  // namespace

StatelessGRU::StatelessGRU(std::optional<int64_t> in_size, int64_t out_size,
                           const GRUOptions& options)
    : W_r(of_input(in_size, out_size, options)),
      U_r(of_state(out_size, options)),
      W_z(of_input(in_size, out_size, options)),
      U_z(of_state(out_size, options)),
      W(of_input(in_size, out_size, options)),
      U(of_state(out_size, options)) {
    list_child("W_r", W_r);
    list_child("U_r", U_r);
    list_child("W_z", W_z);
    list_child("U_z", U_z);
    list_child("W", W);
    list_child("U", U);
}

Variable StatelessGRU::operator()(const Variable& h, const Operand& x) {
    LocationScope scope(x.location());
    if (!h.defined())
        fail<ValueError>(
            "StatelessGRU: h is undefined, it should be [n,{}]; StatefulGRU starts without one",
            U.W.shape()[0]);
    return called({&h, &x.variable()}, [&] { return gru_step(*this, h, x); });
}

StatefulGRU::StatefulGRU(std::optional<int64_t> in_size, int64_t out_size,
                         const GRUOptions& options)
    : W_r(of_input(in_size, out_size, options)),
      U_r(of_state(out_size, options)),
      W_z(of_input(in_size, out_size, options)),
      U_z(of_state(out_size, options)),
      W(of_input(in_size, out_size, options)),
      U(of_state(out_size, options)) {
    list_child("W_r", W_r);
    list_child("U_r", U_r);
    list_child("W_z", W_z);
    list_child("U_z", U_z);
    list_child("W", W);
    list_child("U", U);
}

Variable StatefulGRU::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] {
        const Variable h = gru_step(*this, memory_[0], x);
        memory_.name_beside(W.W, "W/W");
        memory_.store({h}, W.W.home());
        return h;
    });
}

}  // namespace catena
