#pragma once

#include "frontend/hooks/call_times.h"
#include "frontend/link/link_hook.h"

namespace catena::link_hooks {

/// Measures calls of links by their classes, and waits for devices before and after each:
///
///     ct::link_hooks::TimerHook timer;
///     { ct::LinkHookScope scope(timer);  train(); }
///     timer.print_report();
///
/// In a static region the arithmetic of a call is deferred: there it measures what following it
/// costs.
class TimerHook : public LinkHook, public CallTimes {
public:
    /// A hook that has measured nothing yet.
    TimerHook() : CallTimes("link") {}
    std::string name() const override { return "TimerHook"; }
    void forward_preprocess(LinkCall& call) override;
    void forward_postprocess(LinkCall& call) override;
};

}  // namespace catena::link_hooks
