#pragma once

#include "frontend/hooks/call_times.h"
#include "runtime/graph/hooks.h"

namespace catena {

/// Measures every operation of this thread while its scope exists:
///
///     ct::TimerHook timer;
///     { ct::FunctionHookScope scope(timer);  train(); }
///     timer.print_report();
class TimerHook : public FunctionHook, public CallTimes {
public:
    TimerHook() : CallTimes("function") {}
    std::string name() const override { return "TimerHook"; }
    void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void forward_postprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void backward_preprocess(const OpDef& op, std::span<const Array> inputs, std::span<const Variable> grad_outputs) override;
    void backward_postprocess(const OpDef& op, std::span<const Array> inputs, std::span<const Variable> grad_outputs) override;
};

}  // namespace catena
