// A fake NCCL: the functions that Catena calls, with their signatures from NCCL's own header.
// Ranks are processes or threads; what they reduce lies in memory that the host can read, as that
// of an emulated device does. As with NCCL, calls return before their work is done, communicators
// that need not block say that they are in progress, and errors may come later.
#include "tests/nccl_double/nccl_double.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nccl.h>
#include <unistd.h>

#include "tests/cuda/emulated_stream.h"
#include "tests/nccl_double/add.h"
#include "tests/nccl_double/shared_file.h"

namespace nccl_double {
namespace {

using catena::testing::EmulatedStream;

/// What all communicators of the process share.
struct Process {
    std::mutex mutex;
    std::map<std::string, int> calls;
    std::map<std::string, std::pair<int, std::string>> failing;
    std::string last_error;
    bool (*owns)(const void*, size_t) = nullptr;
    long elements = 0;
    int last_type = -1;
};
Process& process() {
    static Process& instance = *new Process;
    return instance;
}

ncclResult_t error(ncclResult_t result, const std::string& words) {
    std::lock_guard lock(process().mutex);
    process().last_error = words;
    return result;
}

/// Counts a call; what it shall fail with.
int note(const char* call) {
    Process& p = process();
    std::lock_guard lock(p.mutex);
    ++p.calls[call];
    auto found = p.failing.find(call);
    if (found == p.failing.end()) return ncclSuccess;
    if (found->second.first == nccl_double_kills) std::raise(SIGKILL);
    p.last_error = found->second.second;
    const int result = found->second.first;
    p.failing.erase(found);
    return result;
}

}  // namespace
}  // namespace nccl_double

/// One rank, and the thread that does its work as a GPU would: in order, after the call returned.
struct ncclComm {
    nccl_double::Meeting* meeting = nullptr;
    int rank = 0, size = 0;
    bool blocks = true;
    int64_t meetings = 0;
    std::atomic<ncclResult_t> state{ncclInProgress};
    std::atomic<bool> stops{false};

    void start() {
        worker_ = std::thread([this] { work(); });
    }
    void post(std::function<void()> job) {
        std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        changed_.notify_one();
    }
    void end() {
        {
            std::lock_guard lock(mutex_);
            stops = true;
            changed_.notify_one();
        }
        worker_.join();
        nccl_double::unmap(meeting);
    }

    void fail(ncclResult_t result, const std::string& words) {
        nccl_double::error(result, words);
        state = result;
    }

    /// Waits for `ready`; false when this or another rank has given up.
    template <class Ready>
    bool wait(Ready ready) {
        while (!ready()) {
            const bool over = stops || meeting->aborted != 0;
            if (over && !ready()) {
                if (!stops)
                    fail(ncclRemoteError, fmt::format("rank {} has aborted", meeting->aborted - 1));
                return false;
            }
            usleep(50);
        }
        return true;
    }
    bool meet() {
        meeting->arrived[rank] = ++meetings;
        return wait([this] {
            for (int r = 0; r < size; ++r)
                if (meeting->arrived[r] < meetings) return false;
            return true;
        });
    }

    /// All ranks must make the same call, otherwise it is an error on each.
    bool agree(const nccl_double::Call& own) {
        meeting->calls[rank] = own;
        if (!meet()) return false;
        for (int r = 0; r < size; ++r) {
            const nccl_double::Call& other = meeting->calls[r];
            if (other.count == own.count && other.type == own.type && other.op == own.op) continue;
            fail(ncclInvalidUsage,
                 fmt::format("rank {} reduces {} of type {} by {}, rank {} {} of type {} by {}",
                             rank, own.count, own.type, own.op, r, other.count, other.type,
                             other.op));
            return false;
        }
        return meet();
    }

    bool reduce(const void* from, void* to, const nccl_double::Call& call) {
        if (!agree(call)) return false;
        const auto type = ncclDataType_t(call.type);
        const size_t width = nccl_double::size_of(type), most = nccl_double::piece_bytes / width;
        for (size_t begin = 0; begin < call.count; begin += most) {
            const size_t n = std::min(most, size_t(call.count) - begin);
            std::memcpy(meeting->pieces[rank], static_cast<const char*>(from) + begin * width,
                        n * width);
            if (!meet()) return false;
            std::vector<const void*> parts;
            for (int r = 0; r < size; ++r) parts.push_back(meeting->pieces[r]);
            nccl_double::add(type, ncclRedOp_t(call.op), parts,
                             static_cast<char*>(to) + begin * width, n);
            if (!meet()) return false;
        }
        return true;
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return stops || !jobs_.empty(); });
            if (stops) return;
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::thread worker_;
};

using namespace nccl_double;

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
    const char* wanted = std::getenv("NCCL_DOUBLE_VERSION");
    *version = wanted ? std::atoi(wanted) : NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (int result = note("ncclGetUniqueId")) return ncclResult_t(result);
    const std::string path = make_meeting_file();
    if (path.empty() || path.size() >= sizeof id->internal)
        return error(ncclSystemError, "no file to meet in");
    std::memset(id, 0, sizeof *id);
    std::memcpy(id->internal, path.data(), path.size());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
    *comm = nullptr;
    if (int result = note("ncclCommInitRankConfig")) return ncclResult_t(result);
    const ncclConfig_t right = NCCL_CONFIG_INITIALIZER;
    if (!config || config->magic != right.magic || config->size != right.size)
        return error(ncclInvalidArgument, "the config was not initialized");
    if (ranks < 1 || ranks > most_ranks || rank < 0 || rank >= ranks)
        return error(ncclInvalidArgument, fmt::format("rank {} of {}", rank, ranks));
    const std::string path(id.internal, strnlen(id.internal, sizeof id.internal));
    Meeting* meeting = map_meeting(path);
    if (!meeting) return error(ncclSystemError, "nobody meets at " + path);
    auto made = new ncclComm;
    made->meeting = meeting;
    made->rank = rank;
    made->size = ranks;
    made->blocks = config->blocking != 0;
    made->start();
    made->post([made, path] {
        ++made->meeting->joined;
        const bool all = made->wait([made] { return made->meeting->joined >= made->size; });
        unlink(path.c_str());
        if (all) made->state = ncclSuccess;
    });
    *comm = made;
    while (made->blocks && made->state == ncclInProgress) usleep(50);
    return made->state;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
    if (!comm) return error(ncclInvalidArgument, "no communicator");
    *state = comm->state;
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
    if (int result = note("ncclCommAbort")) return ncclResult_t(result);
    if (!comm) return ncclSuccess;
    comm->meeting->aborted = comm->rank + 1;
    comm->end();
    delete comm;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess:
            return "no error";
        case ncclUnhandledCudaError:
            return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
        case ncclSystemError:
            return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
        case ncclInternalError:
            return "internal error - please report this issue to the NCCL developers";
        case ncclInvalidArgument:
            return "invalid argument (run with NCCL_DEBUG=WARN for details)";
        case ncclInvalidUsage:
            return "invalid usage (run with NCCL_DEBUG=WARN for details)";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        case ncclInProgress:
            return "NCCL operation in progress";
        default:
            return "unknown result code";
    }
}

const char* ncclGetLastError(ncclComm_t) {
    thread_local std::string copy;
    std::lock_guard lock(process().mutex);
    copy = process().last_error;
    return copy.c_str();
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t cuda_stream) {
    const int result = note("ncclAllReduce");
    if (result > 0) return ncclResult_t(result);
    if (!comm || comm->state != ncclSuccess)
        return error(ncclInvalidArgument, "the communicator is not ready");
    if (size_of(type) == 0) return error(ncclInvalidArgument, fmt::format("type {}", int(type)));
    if (op != ncclSum && op != ncclAvg)
        return error(ncclInvalidArgument, fmt::format("op {}", int(op)));
    auto* stream = reinterpret_cast<EmulatedStream*>(cuda_stream);
    if (!stream || stream->is_stream != EmulatedStream::proof)
        return error(ncclInvalidArgument, "that is no stream");
    Process& p = process();
    {
        std::lock_guard lock(p.mutex);
        const size_t bytes = count * size_of(type);
        if (p.owns && !(p.owns(from, bytes) && p.owns(to, bytes))) {
            p.last_error = "a buffer is not in the device's memory";
            return ncclInvalidArgument;
        }
        p.elements += long(count);
        p.last_type = type;
    }
    if (stream->do_earlier_work) stream->do_earlier_work(*stream);
    ++stream->given;
    if (result == nccl_double_hangs) return ncclSuccess;
    if (!comm->blocks) comm->state = ncclInProgress;
    comm->post([=] {
        if (comm->state == ncclInProgress) comm->state = ncclSuccess;
        if (comm->reduce(from, to, {count, type, op})) ++stream->done;
    });
    return comm->state;
}

void nccl_double_fail(const char* call, int result, const char* words) {
    std::lock_guard lock(process().mutex);
    process().failing[call] = {result, words};
}
void nccl_double_expect_memory(bool (*owns)(const void*, size_t)) {
    std::lock_guard lock(process().mutex);
    process().owns = owns;
}
int nccl_double_count(const char* call) {
    std::lock_guard lock(process().mutex);
    return process().calls[call];
}
long nccl_double_elements() {
    std::lock_guard lock(process().mutex);
    return process().elements;
}
int nccl_double_last_type() {
    std::lock_guard lock(process().mutex);
    return process().last_type;
}
}
