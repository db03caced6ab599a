#pragma once

// What the sources of Communicator share.
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/comm/background.h"
#include "runtime/comm/communicator.h"
#include "runtime/core/array/device.h"

namespace catena {

struct Communicator::Envelope {
    char call[16] = {};
    char label[48] = {};
    int64_t sequence = 0;   ///< The number of the collective: all are counted.
    int64_t gradients = 0;  ///< The label that start_allreduce was given for its buffer.
    int32_t root = -1;
    int8_t reduction = -1;
    bool empty = true;  ///< True if no content follows.
    Dtype dtype = Dtype::float32;
    uint8_t rank = 0;
    int64_t dims[max_rank] = {};
    Type type() const { return {dtype, Shape(std::span(dims, rank))}; }
};

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
    std::string failure;  ///< The first error of a transfer.
    /// Envelopes that type_of_recv has read ahead, by source and tag.
    std::map<std::pair<int, int>, Envelope> opened;
    std::vector<Envelope> met_early;  ///< Envelopes that type_of_bcast has read ahead.
    Envelope own_early;               ///< The envelope that this rank has sent in that exchange.
    /// The thread, made at the first transfer in the background. It is destroyed before the other
    /// members.
    std::unique_ptr<BackgroundThread> thread;
};

/// Runs `f` on this thread once all background work is done.
template <class F>
auto Communicator::in_turn(const char* call, F&& f) {
    check_usable(call);
    BackgroundThread* thread = background_->thread.get();
    if (!thread || thread->is_this_thread()) return f();
    std::packaged_task<decltype(f())()> task([&] {
        check_usable(call);  // Work ahead of it may have failed.
        return f();
    });
    auto result = task.get_future();
    SourceLoc at = current_location();
    thread->post([&] {
        LocationScope location(at);
        task();
    });
    return result.get();
}

template <class F, class... Memory>
void Communicator::or_break_off(F&& f, Memory&... memory) {
    const auto kept = [&] { return std::make_shared<std::tuple<Memory...>>(std::move(memory)...); };
    try {
        f();
    } catch (const std::exception& error) {
        give_up(error.what(), kept());
        throw;
    } catch (...) {
        give_up("an unknown exception", kept());
        throw;
    }
}

template <class... Memory>
void Communicator::move(const char* call, int tag, std::span<const Message> sends,
                        std::span<const Message> receives, Memory&... memory) {
    or_break_off([&] { transfer(call, tag, sends, receives); }, memory...);
}

/// The name of a call with its label, for messages.
inline std::string title(const char* call, const char* label) {
    return *label ? fmt::format("{} ('{}')", call, label) : std::string(call);
}

/// Returns x; ValueError when it is undefined.
inline const Array& defined(const char* call, const Array& x, int rank) {
    if (!x.defined()) fail<ValueError>("{}: rank {} gives an undefined array", call, rank);
    return x;
}

inline Array on_host(const Array& x) { return x.to(cpu_device()).as_contiguous(); }

}  // namespace catena
