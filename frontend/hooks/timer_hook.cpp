#include "frontend/hooks/timer_hook.h"

namespace catena {

void TimerHook::forward_preprocess(const OpDef&, std::span<const Variable* const>) { start(); }
void TimerHook::forward_postprocess(const OpDef& op, std::span<const Variable* const>) { stop(op.name); }
void TimerHook::backward_preprocess(const OpDef&, std::span<const Array>, std::span<const Variable>) { start(); }
void TimerHook::backward_postprocess(const OpDef& op, std::span<const Array>, std::span<const Variable>) { stop("backward of " + op.name); }

}  // namespace catena
