#pragma once

#include <span>
#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

/// A hook that is called around every operation of this thread, forward and backward.
class FunctionHook {
public:
    virtual ~FunctionHook() = default;
    virtual std::string name() const = 0;
    virtual void forward_preprocess(const OpDef&,
                                    [[maybe_unused]] std::span<const Variable* const> inputs) {}
    virtual void forward_postprocess(const OpDef&,
                                     [[maybe_unused]] std::span<const Variable* const> inputs) {}
    /// Called before an operation's gradient. `inputs` are those of the operation: undefined where
    /// its gradient does not read them and the graph did not keep them; empty where a whole
    /// compiled region is one node.
    virtual void backward_preprocess(const OpDef&, [[maybe_unused]] std::span<const Array> inputs,
                                     [[maybe_unused]] std::span<const Variable> grad_outputs) {}
    virtual void backward_postprocess(const OpDef&, [[maybe_unused]] std::span<const Array> inputs,
                                      [[maybe_unused]] std::span<const Variable> grad_outputs) {}
    virtual void added() {}
    virtual void deleted() {}
};

/// Makes the hook active until the scope ends. ValueError when a hook of that name is active
/// already.
class FunctionHookScope {
public:
    explicit FunctionHookScope(FunctionHook& hook);
    ~FunctionHookScope();
    FunctionHookScope(const FunctionHookScope&) = delete;

private:
    FunctionHook& hook_;
};

/// Disables all hooks of this thread until the scope ends.
class FunctionHooksPaused {
public:
    FunctionHooksPaused();
    ~FunctionHooksPaused();
    FunctionHooksPaused(const FunctionHooksPaused&) = delete;

private:
    bool previous_;
};

/// The hooks of this thread, in order of addition.
std::span<FunctionHook* const> function_hooks();

}  // namespace catena
