#pragma once

#include "frontend/link/linear.h"

namespace catena {

struct LSTMOptions {
    Initializer lateral_init = {};       ///< Of each gate's (out, out) part of lateral.W; LeCunNormal unless given.
    Initializer upward_init = {};        ///< Of each gate's (out, in) part of upward.W.
    Initializer bias_init = 0.0;
    Initializer forget_bias_init = 1.0;
};

/// LSTM that keeps its state from call to call. The state is a State: compiled programs read and assign it as eager
/// calls do. Inside one region, and between eager calls, gradients flow back through it (cut with unchain_backward).
class LSTM : public Link {
public:
    /// in_size from the first input.
    explicit LSTM(int64_t out_size) : LSTM(std::nullopt, out_size) {}
    LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {});

    /// h of this step, [n, out_size]. Later batches may be smaller: the remaining rows of the state are unchanged.
    /// ShapeError for a larger one without reset_state().
    Variable operator()(const Operand& x);
    void reset_state();  ///< The next call starts from zeros, with any batch size.
    void set_state(const Variable& c, const Variable& h);
    Variable c() const;  ///< Undefined before the first call and after reset_state().
    Variable h() const;

    Linear upward, lateral;

protected:
    void move_states(Device& device) override;

private:
    /// A state, and the variable with its graph that was last stored in it.
    struct Memory {
        State state;
        Variable recent;
        bool chained = false;  ///< `recent` had a creator when it was stored.
        /// Without a graph once `recent` was unchained: the truncated part needs no gradient.
        Variable value() const;
        /// Allocates the state with this size, content unspecified: a program can only assign existing states.
        void make_room(const Variable& value, Device& device);
        void store(const Variable& value, Device& device);
    };
    /// True if there was no step since the reset, whatever the states hold.
    bool is_empty() const;
    Variable next(const Variable& x);
    void name_states();

    int64_t out_size_;
    Memory c_, h_;
    bool empty_ = true;
    Array before_recording_;  ///< Restored to h_ when a recording on shapes, which began empty, is undone.
};

}  // namespace catena
