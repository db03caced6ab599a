#pragma once

#include "frontend/hooks/call_times.h"
#include "runtime/graph/op/hooks.h"

namespace catena {

/// Measures every operation of this thread while its scope exists. A device is waited for before
/// and after each, so that the time is the operation's, and operations do not overlap:
///
///     ct::TimerHook timer;
///     { ct::FunctionHookScope scope(timer);  train(); }
///     timer.print_report();
class TimerHook : public FunctionHook, public CallTimes {
public:
    /// A hook that has measured nothing yet.
    TimerHook() : CallTimes("function") {}
    std::string name() const override { return "TimerHook"; }
    void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void forward_postprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void backward_preprocess(const OpDef& op, std::span<const Array> inputs,
                             std::span<const Variable> grad_outputs) override;
    void backward_postprocess(const OpDef& op, std::span<const Array> inputs,
                              std::span<const Variable> grad_outputs) override;

private:
    static void finish_work_of(std::span<const Variable* const> inputs);
    static void finish_work_of(std::span<const Variable> grad_outputs);
};

}  // namespace catena
