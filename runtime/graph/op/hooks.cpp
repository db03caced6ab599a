#include "runtime/graph/op/hooks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {
constinit PerThread<std::vector<FunctionHook*>> hooks;
/// How many hooks there are, and whether they are paused: each operation asks, and the list itself
/// would cost a call.
struct HookState {
    size_t count = 0;
    bool paused = false;
};
thread_local HookState hook_state [[gnu::tls_model("initial-exec")]];
}  // namespace

std::span<FunctionHook* const> function_hooks() {
    if (hook_state.paused || hook_state.count == 0) return {};
    return hooks.get();
}

FunctionHooksPaused::FunctionHooksPaused() : previous_(std::exchange(hook_state.paused, true)) {}
FunctionHooksPaused::~FunctionHooksPaused() { hook_state.paused = previous_; }

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
    for (FunctionHook* other : hooks.get())
        if (other->name() == hook.name())
            fail<ValueError>(
                "function hook: one named \"{}\" is active already; end its scope first",
                hook.name());
    hooks.get().push_back(&hook);
    hook_state.count = hooks.get().size();
    hook.added();
}

FunctionHookScope::~FunctionHookScope() {
    std::erase(hooks.get(), &hook_);
    hook_state.count = hooks.get().size();
    hook_.deleted();
}

}  // namespace catena
