#pragma once

#include "frontend/link/connection/linear.h"
#include "frontend/link/rnn/recurrent_memory.h"

namespace catena {

/// Minimal gated unit (Zhou et al. 2016): f = s(W_f [h, x]), h' = (1 - f) h + f tanh(W_h [f h, x]).
/// The caller passes h in and gets h' back.
class StatelessMGU : public Link {
public:
    /// A layer for inputs of n_inputs elements and states of n_units numbers.
    StatelessMGU(int64_t n_inputs, int64_t n_units);

    /// The new state h' [n, n_units] from h [n, n_units] and x [n, n_inputs].
    Variable operator()(const Variable& h, const Operand& x);

    /// The products of state and input together: of the gate and of the new state.
    Linear W_f, W_h;
};

/// Minimal gated unit that remembers h from call to call (recurrent_memory.h); it starts from
/// zeros.
class StatefulMGU : public Link {
public:
    /// A layer for inputs of in_size elements and states of out_size.
    StatefulMGU(int64_t in_size, int64_t out_size);

    /// x [B, in_size] gives the new h, [B, out_size].
    Variable operator()(const Operand& x);
    /// Forgets the state.
    void reset_state() { memory_.reset(); }
    /// Sets the state, [B, out_size], moved to the link's device.
    void set_state(const Variable& h) { memory_.set({h}, W_f.W.home()); }
    /// The state h; undefined before the first call and after reset_state().
    Variable h() const { return memory_[0]; }

    /// The products of state and input together: of the gate and of the new state.
    Linear W_f, W_h;

protected:
    void move_states(Device& device) override { memory_.move(device); }

private:
    int64_t out_size_;
    RecurrentMemory memory_{{"h"}};
};

}  // namespace catena
