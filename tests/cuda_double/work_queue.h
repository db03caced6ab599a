#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/cuda/emulated_stream.h"

namespace catena::testing {

/// Streams, events and graphs of a device whose work is done as late as CUDA allows: when somebody
/// waits for it. What reads memory too early, or reuses it too soon, then sees wrong values.
/// Guarded by `mutex()`.
class WorkQueue : public EmulatedStream {
public:
    WorkQueue();
    ~WorkQueue();
    using Work = std::function<void()>;
    struct Event {
        WorkQueue* stream = nullptr;  ///< Where it was recorded last.
        size_t position = 0;          ///< Done when so much of the stream is.
    };

    static std::recursive_mutex& mutex();

    void add(Work work);
    /// Until end_capture() what is added becomes a graph, one after another, and is not done.
    void begin_capture();
    std::unique_ptr<struct WorkGraph> end_capture();  ///< Null: there is no capture.
    void record(Event& event);
    /// What is added from now on is done after `event`.
    void wait_for(const Event& event);
    void finish() { run_until(added()); }
    /// False is not for ever: every question does a piece of the work.
    static bool is_done(const Event& event);
    static void finish(const Event& event);

private:
    struct Item {
        Work work;
        int64_t library_work = 0;  ///< So much of it has to be done before.
    };
    size_t added() const { return done_ + waiting_.size(); }
    bool can_run() const { return done.load() >= waiting_.front().library_work; }
    void run_next();
    void run_until(size_t position);
    std::unique_ptr<struct WorkGraph> captured_;
    std::deque<Item> waiting_;
    size_t done_ = 0;
};

/// Nodes with what each waits for. Of those that may run the latest added runs first: an order that
/// was only meant and not said is not kept.
struct WorkGraph {
    struct Node {
        WorkQueue::Work work;
        std::vector<size_t> after;
    };
    std::vector<Node> nodes;
    void run() const;
};

}  // namespace catena::testing
