#pragma once

#include "frontend/link/connection/linear.h"
#include "frontend/link/rnn/recurrent_memory.h"

namespace catena {

/// Options of a StatefulGRU and of a StatelessGRU.
struct GRUOptions {
    Initializer init = {};        ///< Initializer of W_r, W_z and W; LeCunNormal unless given.
    Initializer inner_init = {};  ///< Initializer of U_r, U_z and U.
    /// Initializer of all biases.
    Initializer bias_init = 0.0;
};

/// Gated recurrent unit (Cho et al. 2014): r = s(W_r x + U_r h), z = s(W_z x + U_z h), h' = (1 - z)
/// h + z tanh(W x + U (r h)). The caller passes h in and gets h' back.
class StatelessGRU : public Link {
public:
    /// Makes a link that takes in_size from the first input.
    explicit StatelessGRU(int64_t out_size) : StatelessGRU(std::nullopt, out_size) {}
    StatelessGRU(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options = {});

    /// The new state h' [n, out_size] from h [n, out_size] and x.
    Variable operator()(const Variable& h, const Operand& x);

    /// The products of the input (W) and of the state (U): of the gates r and z, and of the new
    /// state.
    Linear W_r, U_r, W_z, U_z, W, U;
};

/// Gated recurrent unit that remembers h from call to call (recurrent_memory.h). While there is no
/// state, the terms of U are left out, their biases, too.
class StatefulGRU : public Link {
public:
    /// in_size is taken from the first input.
    explicit StatefulGRU(int64_t out_size) : StatefulGRU(std::nullopt, out_size) {}
    /// A layer for inputs of in_size elements; without it, it is taken from the first input.
    StatefulGRU(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options = {});

    /// x [B, in_size] gives the new h, [B, out_size].
    Variable operator()(const Operand& x);
    /// Forgets the state.
    void reset_state() { memory_.reset(); }
    /// Sets the state, [B, out_size], moved to the link's device.
    void set_state(const Variable& h) { memory_.set({h}, W.W.home()); }
    /// The state h; undefined before the first call and after reset_state().
    Variable h() const { return memory_[0]; }

    /// The products of the input (W) and of the state (U): of the gates r and z, and of the new
    /// state.
    Linear W_r, U_r, W_z, U_z, W, U;

protected:
    void move_states(Device& device) override { memory_.move(device); }

private:
    RecurrentMemory memory_{{"h"}};
};
/// The name that Chainer has for it.
using GRU = StatefulGRU;

}  // namespace catena
