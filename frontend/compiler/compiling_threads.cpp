#include "frontend/compiler/compiling_threads.h"

#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "runtime/core/parallel/start_thread.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena {
namespace {

/// An object of each thread that has started a compiling thread: its end waits for that.
struct Joins {
    ~Joins() { CompilingThreads::instance().join(); }
    void stay() {}
};
thread_local Joins at_the_end;

}  // namespace

CompilingThreads& CompilingThreads::instance() {
    static CompilingThreads& all = []() -> CompilingThreads& {
        auto* made = new CompilingThreads;  // Used at the very end.
        taken_by_forks(made->mutex_);
        std::atexit([] { instance().join(); });
        return *made;
    }();
    return all;
}

void CompilingThreads::start(std::function<void()> work) {
    at_the_end.stay();
    std::unique_lock lock(mutex_);
    forget_those_of_a_parent();
    std::erase_if(running_, [](Running& each) {
        const bool done = each.done->load();
        if (done) each.thread.join();
        return done;
    });
    auto done = std::make_shared<std::atomic<bool>>(false);
    running_.reserve(running_.size() + 1);  // Nothing fails between a thread's start and its place.
    try {
        std::thread thread = start_thread("compiling", [work, done]() mutable {
            const NoFork whole;
            work();
            work = nullptr;
            done->store(true);
        });
        running_.push_back({std::move(thread), done});
        return;
    } catch (const Error&) {  // As many threads as there may be.
    }
    lock.unlock();
    work();
}

void CompilingThreads::join() {
    std::lock_guard lock(mutex_);
    forget_those_of_a_parent();
    for (Running& each : running_) each.thread.join();
    running_.clear();
}

void CompilingThreads::forget_those_of_a_parent() {
    if (process_ == getpid()) return;
    process_ = getpid();
    for (Running& each : running_) each.thread.detach();
    running_.clear();
}

}  // namespace catena
