#include "runtime/graph/op/hooks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {
constinit PerThread<std::vector<FunctionHook*>> hooks;
// Each operation asks: these cost an instruction, the list a call.
thread_local size_t hook_count [[gnu::tls_model("initial-exec")]] = 0;
thread_local bool paused [[gnu::tls_model("initial-exec")]] = false;
}  // namespace

std::span<FunctionHook* const> function_hooks() {
    if (paused || hook_count == 0) return {};
    return hooks.get();
}

FunctionHooksPaused::FunctionHooksPaused() : previous_(std::exchange(paused, true)) {}
FunctionHooksPaused::~FunctionHooksPaused() { paused = previous_; }

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
    for (FunctionHook* other : hooks.get())
        if (other->name() == hook.name())
            fail<ValueError>(
                "function hook: one named \"{}\" is active already; end its scope first",
                hook.name());
    hooks.get().push_back(&hook);
    hook_count = hooks.get().size();
    hook.added();
}

FunctionHookScope::~FunctionHookScope() {
    std::erase(hooks.get(), &hook_);
    hook_count = hooks.get().size();
    hook_.deleted();
}

}  // namespace catena
