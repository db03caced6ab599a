#include "tests/nccl_double/communicator.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/nccl_double/add.h"
#include "tests/nccl_double/process.h"

using namespace nccl_double;

namespace {

const char* name_of(Kind kind) {
    constexpr const char* names[] = {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather",
                                     "ncclBroadcast"};
    return names[size_t(kind)];
}

std::string text_of(const Call& call) {
    return fmt::format("{} of {} of type {}, op {}, root {}", name_of(call.kind), call.count,
                       call.type, call.op, call.root);
}

size_t bytes_of(uint64_t count, int32_t type) { return count * size_of(ncclDataType_t(type)); }

}  // namespace

void ncclComm::start(const std::string& path) {
    worker_ = std::thread([this, path] {
        join(path);
        work();
    });
}

void ncclComm::join(const std::string& path) {
    ++meeting->joined;
    const bool all = wait([this] { return meeting->joined >= size; });
    unlink(path.c_str());
    if (all) state = ncclSuccess;
}

ncclResult_t ncclComm::post(Work work, bool hangs) {
    if (work.stream->do_earlier_work) work.stream->do_earlier_work(*work.stream);
    ++work.stream->given;
    std::lock_guard lock(mutex_);
    unfinished_.push_back(work.stream);
    if (hangs) return ncclSuccess;
    ncclResult_t well = ncclSuccess;
    if (!blocks && state.compare_exchange_strong(well, ncclInProgress)) questions_left_ = 2;
    jobs_.push_back(std::move(work));
    changed_.notify_one();
    return state;
}

void ncclComm::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stops_ || !jobs_.empty(); });
        if (stops_) return;
        Work job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        while (process().is_held && !stops_) usleep(50);
        const bool done = is_well() && perform(job);
        lock.lock();
        if (!done) continue;
        unfinished_.erase(std::ranges::find(unfinished_, job.stream));
        ++job.stream->done;
    }
}

void ncclComm::end() {
    {
        std::lock_guard lock(mutex_);
        stops_ = true;
        changed_.notify_one();
    }
    worker_.join();
    for (catena::testing::EmulatedStream* stream : unfinished_) ++stream->done;
    unmap(meeting);
}

ncclResult_t ncclComm::ask() {
    const ncclResult_t found = state;
    if (questions_left_ > 0 && --questions_left_ == 0) {
        ncclResult_t begun = ncclInProgress;
        state.compare_exchange_strong(begun, ncclSuccess);
    }
    return found;
}

bool ncclComm::is_well() const { return state == ncclSuccess || state == ncclInProgress; }

void ncclComm::fail(ncclResult_t result, const std::string& words) {
    nccl_double::error(result, words);
    state = result;
}

bool ncclComm::is_over(bool quietly) {
    if (!stops_ && meeting->aborted == 0) return false;
    if (!stops_ && !quietly)
        fail(ncclRemoteError, fmt::format("rank {} has aborted", meeting->aborted - 1));
    return true;
}

template <class Ready>
bool ncclComm::wait(Ready ready) {
    while (!ready()) {
        if (is_over(true) && !ready()) {
            is_over(false);
            return false;
        }
        usleep(50);
    }
    return true;
}

bool ncclComm::meet() {
    meeting->arrived[rank] = ++meetings_;
    return wait([this] {
        for (int r = 0; r < size; ++r)
            if (meeting->arrived[r] < meetings_) return false;
        return true;
    });
}

/// All ranks must make the same call, otherwise it is an error on each.
bool ncclComm::agree(const Call& own) {
    meeting->calls[rank] = own;
    if (!meet()) return false;
    for (int r = 0; r < size; ++r) {
        const Call& other = meeting->calls[r];
        if (other == own) continue;
        fail(ncclInvalidUsage,
             fmt::format("rank {}: {}; rank {}: {}", rank, text_of(own), r, text_of(other)));
        return false;
    }
    return meet();
}

bool ncclComm::perform(Work& work) {
    for (const auto& collective : work.collectives)
        if (!collective()) return false;
    return exchange(work.messages);
}

//---- collectives

/// Every rank's elements at `from`, added into `to` of the ranks that are `here`.
bool ncclComm::add(const char* from, char* to, size_t count, const Call& call, bool here) {
    const auto type = ncclDataType_t(call.type);
    const size_t width = size_of(type), most = piece_bytes / width;
    for (size_t begin = 0; begin < count; begin += most) {
        const size_t n = std::min(most, count - begin);
        std::memcpy(meeting->pieces[rank], from + begin * width, n * width);
        if (!meet()) return false;
        std::vector<const void*> parts;
        for (int r = 0; r < size; ++r) parts.push_back(meeting->pieces[r]);
        if (here) nccl_double::add(type, ncclRedOp_t(call.op), parts, to + begin * width, n);
        if (!meet()) return false;
    }
    return true;
}

bool ncclComm::all_reduce(const void* from, void* to, const Call& call) {
    return agree(call) &&
           add(static_cast<const char*>(from), static_cast<char*>(to), call.count, call, true);
}

bool ncclComm::reduce_scatter(const void* from, void* to, const Call& call) {
    if (!agree(call)) return false;
    const size_t bytes = bytes_of(call.count, call.type);
    for (int r = 0; r < size; ++r)
        if (!add(static_cast<const char*>(from) + size_t(r) * bytes, static_cast<char*>(to),
                 call.count, call, r == rank))
            return false;
    return true;
}

bool ncclComm::all_gather(const void* from, void* to, const Call& call) {
    if (!agree(call)) return false;
    const size_t bytes = bytes_of(call.count, call.type);
    for (size_t begin = 0; begin < bytes; begin += piece_bytes) {
        const size_t n = std::min(piece_bytes, bytes - begin);
        std::memcpy(meeting->pieces[rank], static_cast<const char*>(from) + begin, n);
        if (!meet()) return false;
        for (int r = 0; r < size; ++r)
            std::memcpy(static_cast<char*>(to) + size_t(r) * bytes + begin, meeting->pieces[r], n);
        if (!meet()) return false;
    }
    return true;
}

bool ncclComm::broadcast(const void* from, void* to, const Call& call) {
    if (!agree(call)) return false;
    const size_t bytes = bytes_of(call.count, call.type);
    for (size_t begin = 0; begin < bytes; begin += piece_bytes) {
        const size_t n = std::min(piece_bytes, bytes - begin);
        char* const shared = meeting->pieces[call.root];
        if (rank == call.root) std::memcpy(shared, static_cast<const char*>(from) + begin, n);
        if (!meet()) return false;
        std::memcpy(static_cast<char*>(to) + begin, shared, n);
        if (!meet()) return false;
    }
    return true;
}

//---- messages

/// What can be done of it without waiting; whether something was.
bool ncclComm::step(Message& m) {
    const size_t bytes = bytes_of(m.count, m.type);
    Channel& channel =
        m.is_send ? meeting->channels[rank][m.peer] : meeting->channels[m.peer][rank];
    if (!m.began) {
        if (channel.has_header == m.is_send) return false;
        if (m.is_send) {
            channel.count = m.count;
            channel.type = m.type;
            channel.has_header = 1;
        } else if (channel.count != m.count || channel.type != m.type) {
            fail(ncclInvalidUsage,
                 fmt::format("rank {} receives {} of type {} from rank {}, which sends {} of "
                             "type {}",
                             rank, m.count, m.type, m.peer, channel.count, channel.type));
            return false;
        }
        m.began = true;
    } else if (m.done < bytes) {
        if (channel.has_part == m.is_send) return false;
        const size_t n = std::min(channel_bytes, bytes - m.done);
        if (m.is_send)
            std::memcpy(channel.part, m.data + m.done, n);
        else
            std::memcpy(m.data + m.done, channel.part, n);
        m.done += n;
        channel.has_part = m.is_send;
    } else {
        if (!m.is_send) channel.has_header = 0;
        m.ended = true;
    }
    return true;
}

/// Those with one peer, in one direction, keep their order.
bool ncclComm::exchange(std::vector<Message>& messages) {
    while (true) {
        bool all_ended = true, moved = false;
        std::vector<std::pair<bool, int>> busy;
        for (Message& m : messages) {
            const std::pair<bool, int> way(m.is_send, m.peer);
            if (m.ended || std::ranges::find(busy, way) != busy.end()) continue;
            all_ended = false;
            busy.push_back(way);
            moved = step(m) || moved;
            if (!is_well()) return false;
        }
        if (all_ended) return true;
        if (moved) continue;
        if (is_over(false)) return false;
        usleep(50);
    }
}
