#pragma once

#include "frontend/link/connection/linear.h"
#include "frontend/link/rnn/recurrent_memory.h"
#include "runtime/graph/variable/scalar_operand.h"

namespace catena {

// Variants of LSTM with states that are kept from call to call (recurrent_memory.h) and start from
// zeros. The gates a, i, f, o of a unit are interleaved in upward and lateral. Batches have one
// size until reset_state().

/// LSTM whose gates see the memory through matrices (Gers and Schmidhuber 2000): i = s(.. + peep_i
/// c), f = s(.. + peep_f c), c' = tanh(a) i + f c, o = s(.. + peep_o c'), h' = o tanh(c').
class StatefulPeepholeLSTM : public Link {
public:
    /// A layer for inputs of in_size elements; without it, it is taken from the first input.
    StatefulPeepholeLSTM(std::optional<int64_t> in_size, int64_t out_size);

    /// The new state h', [n, out_size].
    Variable operator()(const Operand& x);
    /// Forgets the states.
    void reset_state() { memory_.reset(); }
    /// Sets the states, [B, out_size] each, moved to the link's device.
    void set_state(const Variable& c, const Variable& h) { memory_.set({c, h}, upward.W.home()); }
    /// The state c; undefined before the first call and after reset_state().
    Variable c() const { return memory_[0]; }
    /// The present output; undefined before the first call.
    Variable h() const { return memory_[1]; }

    /// The products of the input, of the last output, and of the memory for each gate.
    Linear upward, lateral, peep_i, peep_f, peep_o;

protected:
    void move_states(Device& device) override { memory_.move(device); }

private:
    int64_t out_size_;
    RecurrentMemory memory_{{"c", "h"}};
};

/// LSTM that, in training mode, keeps the old value of each number of c with probability c_ratio
/// and of each of h with h_ratio (Krueger et al. 2016). The new h is computed from the new c before
/// that.
class StatefulZoneoutLSTM : public Link {
public:
    /// A layer for inputs of in_size elements; without it, it is taken from the first input. The
    /// ratios are chances to keep an old value.
    StatefulZoneoutLSTM(std::optional<int64_t> in_size, int64_t out_size, double c_ratio = 0.5,
                        double h_ratio = 0.5);

    /// The new state h', [n, out_size].
    Variable operator()(const Operand& x);
    /// Forgets the states.
    void reset_state() { memory_.reset(); }
    /// Sets the states, [B, out_size] each, moved to the link's device.
    void set_state(const Variable& c, const Variable& h) { memory_.set({c, h}, upward.W.home()); }
    /// The state c; undefined before the first call and after reset_state().
    Variable c() const { return memory_[0]; }
    /// The present output; undefined before the first call.
    Variable h() const { return memory_[1]; }

    /// The products of the input and of the last output, with all gates side by side.
    Linear upward, lateral;

protected:
    void move_states(Device& device) override { memory_.move(device); }

private:
    int64_t out_size_;
    double c_ratio_, h_ratio_;
    RecurrentMemory memory_{{"c", "h"}};
};

}  // namespace catena
