#pragma once

// What the sources of Communicator share.
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/comm/background.h"
#include "runtime/comm/communicator.h"
#include "runtime/core/device.h"

namespace catena {

/// The thread for background transfers, and its tickets.
struct Communicator::Background {
    struct Request {
        Array buffer;
        bool done = false;
        std::exception_ptr error;
    };
    std::mutex mutex;
    std::condition_variable done;
    std::map<int64_t, Request> requests;
    int64_t tickets = 0;
    CommunicatorStatistics statistics;
    std::unique_ptr<BackgroundThread>
        thread;  ///< Made at the first transfer in the background; goes first.
};

/// Runs `f` on this thread, or after the background work.
template <class F>
auto Communicator::in_turn(const char* call, F&& f) {
    if (finalized_) fail<CommunicationError>("{}: the communicator has been finalized", call);
    BackgroundThread* thread = background_->thread.get();
    if (!thread || thread->is_this_thread()) return f();
    std::packaged_task<decltype(f())()> task(std::forward<F>(f));
    auto result = task.get_future();
    SourceLoc at = current_location();
    thread->post([&] {
        LocationScope location(at);
        task();
    });
    return result.get();
}

inline Array on_host(const Array& x) { return x.to(cpu_device()).as_contiguous(); }

inline size_t bytes_of(const Type& type) { return size_t(element_count(type.shape)) * size_of(type.dtype); }

}  // namespace catena
