#include "frontend/hooks/timer_hook.h"

#include "runtime/core/array/device.h"

namespace catena {

void TimerHook::finish_work_of(std::span<const Variable* const> inputs) {
    if (inputs.empty()) finish_work(current_device());
    for (const Variable* x : inputs)
        if (x->defined()) finish_work(x->device());
}
void TimerHook::finish_work_of(std::span<const Variable> grad_outputs) {
    for (const Variable& gy : grad_outputs)
        if (gy.defined()) finish_work(gy.device());
}

void TimerHook::forward_preprocess(const OpDef&, std::span<const Variable* const> inputs) {
    finish_work_of(inputs);
    start();
}
void TimerHook::forward_postprocess(const OpDef& op, std::span<const Variable* const> inputs) {
    finish_work_of(inputs);
    stop(op.name);
}
void TimerHook::backward_preprocess(const OpDef&, std::span<const Array>,
                                    std::span<const Variable> grad_outputs) {
    finish_work_of(grad_outputs);
    start();
}
void TimerHook::backward_postprocess(const OpDef& op, std::span<const Array>,
                                     std::span<const Variable> grad_outputs) {
    finish_work_of(grad_outputs);
    stop("backward of " + op.name);
}

}  // namespace catena
