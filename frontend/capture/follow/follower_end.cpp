// Where a Follower's call begins, is cut and ends: computes the arrays still referenced.
#include <exception>
#include <utility>

#include "frontend/capture/follow/follower.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/location.h"
#include "runtime/graph/op/user_function.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {

void Follower::serve(Tree& tree) {
    call_.cursor.serve(tree);
    call_.values.forget_steps();
}

void Follower::begin(std::span<const Variable> arguments, const FollowedCall::Rules& rules,
                     SegmentRunner& runner) {
    runner_ = &runner;
    thread_ = std::this_thread::get_id();
    tf32_ = config().tf32;
    debug_ = config().debug;
    is_open_ = true;
    composites_.forget_last();
    call_.begin(arguments, rules);
}

//---- cuts

void Follower::force(ArrayBody& array) {
    if (thread_ != std::this_thread::get_id())
        fail<TraceError>(
            "static_graph {}: another thread asks for a value that the region's code has not "
            "computed yet; read it "
            "on the thread that calls the region",
            call_.rules.region);
    if (!call_.rules.breaks)
        fail<TraceError>(
            "static_graph {}: the host reads a value computed in the region ({}), and the "
            "option breaks is false. Return the value from the region and read it outside (of a "
            "parameter that is updated: drop views of it before the call)",
            call_.rules.region, to_string(array.type));
    cut();
}

void Follower::host_read(ArrayBody& array) {
    call_.effects.disturb();
    if (array.pending) array.pending->force(array);
}

void Follower::settle() {
    call_.effects.disturb();
    if (call_.cursor.steps() > 0)
        cut();
    else if (call_.effects.is_passing())  // Nothing is recorded that could fail: what was changed
        call_.effects.log().clear();      // stays.
}

void Follower::cut() {
    CATENA_ASSERT(is_in_code(), "a static region is cut while it does not run");
    walks_.drop();
    composites_.cut();
    Ending& ending =
        call_.cursor.ending(true, nullptr, call_.values.find_alive(), call_.values.count());
    try {
        run(ending);
    } catch (...) {
        call_.cut(ending);
        throw;
    }
    call_.cut(ending);
}

//---- running

template <class Compute>
void Follower::compute(Compute compute) {
    call_.failed_at = -1;
    call_.is_computing = true;
    RecorderScope unseen(nullptr);
    const auto checks = using_config(&Config::debug, debug_);
    try {
        compute();
    } catch (const std::exception& error) {
        after_failure(error.what());
        throw;
    } catch (...) {
        after_failure("an unknown error");
        throw;
    }
    call_.is_computing = false;
    call_.effects.log().clear();
    call_.values.release();
}

void Follower::run(Ending& ending) {
    compute([&] {
        call_.reader = {call_.cursor.has_new_ending() ? current_location() : known_location(),
                        running_user_function()};
        // Errors must name the line of the failing step, not of the read.
        const ForgetLocation steps_name_theirs;
        if (call_.cursor.ends_early()) runner_->left(nullptr, ending.last);
        runner_->run(call_, ending);
    });
}

/// Undoes and fails what was recorded, also where there is no memory. An entry of the log that
/// cannot be undone is gone, and its variable keeps an array that was never computed.
void Follower::after_failure(std::string_view why) noexcept {
    UndoLog& log = call_.effects.log();
    for (size_t before = log.size() + 1; log.size() < before;) {
        before = log.size();
        try {
            log.undo(call_.failed_at, [&](int v) { return call_.values.array(v); });
            break;
        } catch (const std::exception&) {  // On with the next one.
        }
    }
    log.clear();
    try {
        call_.values.release();
    } catch (const std::exception&) {
    }
    call_.values.fail(call_.rules.region, why);
    call_.is_computing = false;
}

//---- the end

void Follower::end_call() {
    // None waits, unless dealing with one error has ended in another.
    if (std::uncaught_exceptions() > 0)
        call_.values.fail(call_.rules.region, "an error ended its call");
    walks_.drop();
    composites_.clear();
    call_.end();
    is_open_ = false;
}

namespace {

/// Ends a call when the scope ends.
template <class End>
struct AtEnd {
    End end;
    ~AtEnd() { end(); }
};

}  // namespace

void Follower::finish() {
    const AtEnd at_end{[&] { end_call(); }};
    walks_.drop();
    Ending* ending = nullptr;
    try {
        call_.effects.drop_unheld(call_.scratch);
        Variables left;
        const GraphEnd* graph = runner_->close_graph(call_, left);
        if (!call_.rules.keep_grads) call_.effects.log().consume_gradients(call_.scratch);
        ending =
            &call_.cursor.ending(false, graph, call_.values.find_alive(), call_.values.count());
    } catch (const std::exception& error) {
        call_.failed_at = -1;
        after_failure(error.what());
        throw;
    }
    run(*ending);
}

void Follower::abandon() {
    const AtEnd at_end{[&] { end_call(); }};
    walks_.drop();
    compute([&] {
        const ForgetLocation steps_name_theirs;
        const std::span<const int> alive = call_.values.find_alive();
        if (!alive.empty()) call_.interpret(call_.cursor.step(), alive);
    });
}

void Follower::forget(std::string_view why) {
    call_.failed_at = -1;
    after_failure(why);
    end_call();
}

}  // namespace catena::capture
