#pragma once

// What the sources of Communicator share.
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/comm/communicator_state.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/host_lock.h"

namespace catena {

/// Runs `f` on this thread once all background work is done. Meanwhile a host language may run its
/// other threads: calls wait for other ranks, which may be threads of this process.
template <class F>
auto Communicator::in_turn(const char* call, F&& f) {
    const SourceLoc at = current_location();
    const ForgetLocation unasked;  // The host language cannot be asked without its lock.
    const LocationScope location(at);
    const WithoutHostLock others_may_run;
    check_usable(call);
    BackgroundThread* thread = background_->thread.get();
    if (!thread || thread->is_this_thread()) return f();
    std::packaged_task<decltype(f())()> task([&] {
        check_usable(call);  // Work ahead of it may have failed.
        return f();
    });
    auto result = task.get_future();
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

template <class F, class... Memory>
void Communicator::collect(const CommunicatorMeeting& meeting, F&& f, Memory&... memory) {
    or_break_off(
        [&] {
            count(f(meeting.is_near ? near_collectives() : collectives()));
            if (meeting.is_near) complete();
        },
        memory...);
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

/// Arrays of one type, one behind the other in one piece of memory.
inline std::vector<Array> arrays_in_a_row(const Type& type, int count, Device& place) {
    const int64_t size = element_count(type.shape);
    const Array all = Array::empty({type.dtype, {count * size}}, place);
    std::vector<Array> parts;
    for (int i = 0; i < count; ++i)
        parts.push_back(all.view(type.shape, contiguous_strides(type.shape), i * size));
    return parts;
}

}  // namespace catena
