#pragma once

#include "frontend/hooks/call_times.h"
#include "frontend/link/link_hook.h"

namespace catena::link_hooks {

/// Measures calls of links by their classes, on the host:
///
///     ct::link_hooks::TimerHook timer;
///     { ct::LinkHookScope scope(timer);  train(); }
///     timer.print_report();
///
/// In a static region the arithmetic of a call is deferred: there it measures what following it costs.
class TimerHook : public LinkHook, public CallTimes {
public:
    TimerHook() : CallTimes("link") {}
    std::string name() const override { return "TimerHook"; }
    void forward_preprocess(LinkCall&) override { start(); }
    void forward_postprocess(LinkCall& call) override { stop(call.link().type_name()); }
};

}  // namespace catena::link_hooks
