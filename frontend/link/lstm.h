#pragma once

#include "frontend/link/linear.h"

namespace catena {

struct LSTMOptions {
    Initializer lateral_init = {};       ///< Of each gate's (out, out) part of lateral.W; LeCunNormal unless given.
    Initializer upward_init = {};        ///< Of each gate's (out, in) part of upward.W.
    Initializer bias_init = 0.0;
    Initializer forget_bias_init = 1.0;
};

/// LSTM that keeps its state from call to call. The state has identity: a compiled program reads and assigns it as eager
/// calls do. Inside one region, and between eager calls, gradients flow back through it (cut with unchain_backward).
class LSTM : public Link {
public:
    /// in_size from the first input.
    explicit LSTM(int64_t out_size) : LSTM(std::nullopt, out_size) {}
    LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {});

    /// h of this step, [n, out_size]. Later batches may be smaller: the states of the rest stay. ShapeError for
    /// a larger one without reset_state().
    Variable operator()(const Operand& x);
    void reset_state();  ///< Forgets: the next call starts from zeros, of whatever batch size it has.
    void set_state(const Variable& c, const Variable& h);
    Variable c() const;  ///< Undefined before the first call and after reset_state().
    Variable h() const;

    Linear upward, lateral;

protected:
    void move_states(Device& device) override;

private:
    /// A state and the variable with its graph whose array the state holds.
    struct Memory {
        State state;
        Variable recent;
        bool chained = false;  ///< `recent` had a creator when it was stored.
        /// A constant once `recent` was unchained: nobody wants the gradient of an earlier window's end.
        Variable value() const;
        /// Room of this size, which nobody reads: a program assigns states that are there.
        void make_room(const Variable& value, Device& device);
        void store(const Variable& value, Device& device);
    };
    /// No step since the state was reset; what the states hold does not count.
    bool is_empty() const;
    void name_states();

    int64_t out_size_;
    Memory c_, h_;
    bool empty_ = true;
    Array before_recording_;  ///< What h_ holds again when a recording on shapes, which began empty, was undone.
};

}  // namespace catena
