#include "tests/cuda_double/work_queue.h"

#include <algorithm>
#include <thread>

namespace catena::testing {

std::recursive_mutex& WorkQueue::mutex() {
    static std::recursive_mutex& instance = *new std::recursive_mutex;
    return instance;
}

WorkQueue::WorkQueue() {
    do_earlier_work = [](EmulatedStream& stream) {
        std::lock_guard lock(mutex());
        static_cast<WorkQueue&>(stream).finish();
    };
}

WorkQueue::~WorkQueue() = default;

void WorkQueue::add(Work work) {
    if (!captured_) return waiting_.push_back({std::move(work), given.load()});
    std::vector<WorkGraph::Node>& nodes = captured_->nodes;
    WorkGraph::Node node{std::move(work), {}};
    if (!nodes.empty()) node.after.push_back(nodes.size() - 1);
    nodes.push_back(std::move(node));
}

void WorkQueue::begin_capture() { captured_ = std::make_unique<WorkGraph>(); }
std::unique_ptr<WorkGraph> WorkQueue::end_capture() { return std::move(captured_); }

void WorkQueue::record(Event& event) {
    add([] {});  // For what libraries were given.
    event.stream = this;
    event.position = added();
}

void WorkQueue::wait_for(const Event& event) {
    // By value: the event may be recorded again.
    add([event] { finish(event); });
}

bool WorkQueue::is_done(const Event& event) {
    if (!event.stream || event.stream->done_ >= event.position) return true;
    if (event.stream->can_run()) event.stream->run_next();
    return event.stream->done_ >= event.position;
}

void WorkQueue::finish(const Event& event) {
    if (event.stream) event.stream->run_until(event.position);
}

void WorkQueue::run_until(size_t position) {
    while (done_ < position && !waiting_.empty()) {
        while (!can_run()) std::this_thread::yield();
        run_next();
    }
}

void WorkQueue::run_next() {
    const Work work = std::move(waiting_.front().work);
    waiting_.pop_front();
    ++done_;
    work();
}

void WorkGraph::run() const {
    std::vector<bool> done(nodes.size(), false);
    for (size_t count = 0; count < nodes.size(); ++count) {
        size_t next = nodes.size();
        while (next-- > 0)
            if (!done[next] && std::all_of(nodes[next].after.begin(), nodes[next].after.end(),
                                           [&](size_t before) { return done[before]; }))
                break;
        nodes[next].work();
        done[next] = true;
    }
}

}  // namespace catena::testing
