#pragma once

#include <span>
#include <string>

#include "runtime/graph/variable/variable.h"

namespace catena {

class Optimizer;
struct UpdateSlot;

/// A hook that is called at every update, before (pre) or after it (post), to change gradients or
/// parameters.
class OptimizerHook {
public:
    /// Whether a hook is called before or after an update.
    enum class Timing { pre, post };
    virtual ~OptimizerHook() = default;
    /// The name under which the optimizer knows the hook.
    virtual std::string name() const = 0;
    /// When the hook is called: before an update, unless it says otherwise.
    virtual Timing timing() const { return Timing::pre; }
    /// Whether it changes each element by itself, whatever the others are. If each rank updates a
    /// part of every parameter, the slots of such a hook have this rank's parts, 1-d and perhaps
    /// empty; for any other hook whole parameters and gradients are gathered from the ranks.
    virtual bool takes_parts() const { return false; }
    /// Called at an update, whose parameters are optimizer.active_slots().
    virtual void operator()(Optimizer& optimizer) = 0;
};

/// A hook that changes each gradient by itself.
class ParameterHook : public OptimizerHook {
public:
    void operator()(Optimizer& optimizer) final;  // In hooks.cpp.
    /// Changes the gradients of `slots`. `t` is the number of updates so far, int64, 0-d, on their
    /// device. Called once for each device that has parameters.
    virtual void change(std::span<UpdateSlot* const> slots, const Variable& t) = 0;
};

}  // namespace catena
