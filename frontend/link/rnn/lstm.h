#pragma once

#include "frontend/link/connection/linear.h"
#include "frontend/link/rnn/recurrent_memory.h"
#include "runtime/ops/rnn/rnn.h"

namespace catena {

/// Options of an LSTM and of a StatelessLSTM.
struct LSTMOptions {
    /// Initializer of each gate's [out, out] part of lateral.W; LeCunNormal unless given.
    Initializer lateral_init = {};
    Initializer upward_init = {};  ///< Initializer of each gate's [out, in] part of upward.W.
    /// Initializer of the biases of all gates but the forget gate.
    Initializer bias_init = 0.0;
    /// Initializer of the biases of the forget gate.
    Initializer forget_bias_init = 1.0;
};

/// LSTM that remembers its state from call to call (recurrent_memory.h).
class LSTM : public Link {
public:
    /// Makes a link that takes in_size from the first input.
    explicit LSTM(int64_t out_size) : LSTM(std::nullopt, out_size) {}
    LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {});

    /// The output h of one step, [n, out_size]. Later batches may be smaller: the remaining rows of
    /// the state are unchanged. ShapeError for a larger one without reset_state().
    Variable operator()(const Operand& x);
    /// Makes the next call start from zeros, with any batch size.
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
    Variable next(const Variable& x);

    int64_t out_size_;
    RecurrentMemory memory_{{"c", "h"}};
};

/// LSTM whose states the caller passes in and gets back.
class StatelessLSTM : public Link {
public:
    /// in_size is taken from the first input.
    explicit StatelessLSTM(int64_t out_size) : StatelessLSTM(std::nullopt, out_size) {}
    /// A layer for inputs of in_size elements; without it, it is taken from the first input.
    StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size,
                  const LSTMOptions& options = {});

    /// (c, h) after this step; undefined states are zeros.
    LstmResult operator()(const Variable& c, const Variable& h, const Operand& x);

    /// The products of the input and of the last output, with all gates side by side.
    Linear upward, lateral;

private:
    int64_t out_size_;
};

}  // namespace catena
