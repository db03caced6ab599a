#include "frontend/link/hooks/timer.h"

#include "runtime/core/array/device.h"

namespace catena::link_hooks {
namespace {

void finish_work_of(const LinkCall& call, void (*finish_work)(Device&)) {
    for (const Variable* x : call.inputs())
        if (x->defined()) finish_work(x->device());
}

}  // namespace

void TimerHook::forward_preprocess(LinkCall& call) {
    finish_work_of(call, finish_work);
    start();
}

void TimerHook::forward_postprocess(LinkCall& call) {
    finish_work_of(call, finish_work);
    stop(call.link().type_name());
}

}  // namespace catena::link_hooks
