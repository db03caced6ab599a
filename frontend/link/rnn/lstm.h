#pragma once

#include "frontend/link/connection/linear.h"
#include "frontend/link/rnn/recurrent_memory.h"
#include "runtime/ops/rnn/rnn.h"

namespace catena {

struct LSTMOptions {
    Initializer lateral_init =
        {};  ///< Initializer of each gate's [out, out] part of lateral.W; LeCunNormal unless given.
    Initializer upward_init = {};  ///< Initializer of each gate's [out, in] part of upward.W.
    Initializer bias_init = 0.0;
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
    void set_state(const Variable& c, const Variable& h) { memory_.set({c, h}, upward.W.home()); }
    /// The state c; undefined before the first call and after reset_state().
    Variable c() const { return memory_[0]; }
    Variable h() const { return memory_[1]; }

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
    explicit StatelessLSTM(int64_t out_size) : StatelessLSTM(std::nullopt, out_size) {}
    StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size,
                  const LSTMOptions& options = {});

    /// (c, h) after this step; undefined states are zeros.
    LstmResult operator()(const Variable& c, const Variable& h, const Operand& x);

    Linear upward, lateral;

private:
    int64_t out_size_;
};

}  // namespace catena
