#include "runtime/graph/hooks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/core/per_thread.h"

namespace catena {
namespace {
thread_local PerThread<std::vector<FunctionHook*>> hooks;
}

static thread_local bool paused = false;

std::span<FunctionHook* const> function_hooks() {
    if (paused) return {};
    return hooks.get();
}

FunctionHooksPaused::FunctionHooksPaused() : previous_(std::exchange(paused, true)) {}
FunctionHooksPaused::~FunctionHooksPaused() { paused = previous_; }

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
    for (FunctionHook* other : hooks.get())
        if (other->name() == hook.name())
            fail<ValueError>("function hook: one named \"{}\" is active already", hook.name());
    hooks.get().push_back(&hook);
    hook.added();
}

FunctionHookScope::~FunctionHookScope() {
    std::erase(hooks.get(), &hook_);
    hook_.deleted();
}

}  // namespace catena
