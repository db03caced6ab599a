// A fake NCCL: the functions that Catena calls, with their signatures from NCCL's own header.
// Ranks are processes or threads; what they move lies in memory that the host can read, as that
// of an emulated device does. As with NCCL, calls return before their work is done, calls between
// ncclGroupStart and ncclGroupEnd begin at its end and together, communicators that need not block
// say that they are in progress, and errors may come later.
#include "tests/nccl_double/nccl_double.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nccl.h>
#include <unistd.h>

#include "tests/nccl_double/add.h"
#include "tests/nccl_double/communicator.h"
#include "tests/nccl_double/process.h"

namespace nccl_double {

using catena::testing::EmulatedStream;

Process& process() {
    static Process& instance = *new Process;
    return instance;
}

ncclResult_t error(ncclResult_t result, const std::string& words) {
    std::lock_guard lock(process().mutex);
    process().last_error = words;
    return result;
}

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

namespace {

/// The calls of this thread between ncclGroupStart and ncclGroupEnd.
struct Group {
    int depth = 0;
    ncclComm* comm = nullptr;
    Work work;
    bool hangs = false;
    ncclResult_t result = ncclSuccess;
};
thread_local Group group;

/// Memory that a call reads or writes.
struct Memory {
    const void* data;
    size_t bytes;
    bool overlaps(const Memory& other) const {
        const auto *mine = static_cast<const char*>(data),
                   *theirs = static_cast<const char*>(other.data);
        return mine < theirs + other.bytes && theirs < mine + bytes;
    }
};

bool are_owned(std::initializer_list<Memory> all) {
    Process& p = process();
    std::lock_guard lock(p.mutex);
    for (const Memory& each : all)
        if (p.owns && each.bytes > 0 && !p.owns(each.data, each.bytes)) {
            p.last_error = "a buffer is not in the device's memory";
            return false;
        }
    return true;
}

/// What every call is checked for.
ncclResult_t check(ncclComm* comm, cudaStream_t cuda_stream, ncclDataType_t type, int other) {
    if (!comm || comm->state != ncclSuccess)
        return error(ncclInvalidArgument, "the communicator is not ready");
    if (size_of(type) == 0) return error(ncclInvalidArgument, fmt::format("type {}", int(type)));
    if (other < 0 || other >= comm->size)
        return error(ncclInvalidArgument, fmt::format("rank {} of {}", other, comm->size));
    auto* stream = reinterpret_cast<EmulatedStream*>(cuda_stream);
    if (!stream || stream->is_stream != EmulatedStream::proof)
        return error(ncclInvalidArgument, "that is no stream");
    return ncclSuccess;
}

ncclResult_t check_op(ncclRedOp_t op) {
    return op == ncclSum || op == ncclAvg
               ? ncclSuccess
               : error(ncclInvalidArgument, fmt::format("op {}", int(op)));
}

/// Memory that is read and written must not overlap, unless the call is in place: one begins where
/// the other's part of this rank does.
ncclResult_t check_memory(const Memory& from, const Memory& to, bool is_in_place) {
    if (!are_owned({from, to})) return ncclInvalidArgument;
    if (!is_in_place && from.overlaps(to))
        return error(ncclInvalidArgument, "buffers overlap, but not as those of a call in place");
    return ncclSuccess;
}

ncclResult_t end_group() {
    Group ended = std::exchange(group, {});
    if (ended.result != ncclSuccess) return ended.result;
    if (!ended.comm) return ncclSuccess;
    return ended.comm->post(std::move(ended.work), ended.hangs);
}

/// One call as a group of its own, or as a part of the thread's.
template <class Add>
ncclResult_t enter(ncclComm* comm, cudaStream_t stream, int noted, ncclResult_t checked, Add add) {
    const ncclResult_t result = noted > 0 ? ncclResult_t(noted) : checked;
    const bool alone = group.depth == 0;
    if (result == ncclSuccess) {
        group.comm = comm;
        group.work.stream = reinterpret_cast<EmulatedStream*>(stream);
        group.hangs = group.hangs || noted == nccl_double_hangs;
        add(group.work);
    } else if (!alone && group.result == ncclSuccess) {
        group.result = result;
    }
    if (alone) return result == ncclSuccess ? end_group() : result;
    return result;
}

}  // namespace
}  // namespace nccl_double

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
    made->start(path);
    *comm = made;
    while (made->blocks && made->state == ncclInProgress) usleep(50);
    return made->state;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
    if (!comm) return error(ncclInvalidArgument, "no communicator");
    *state = comm->ask();
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

ncclResult_t ncclGroupStart() {
    if (int result = note("ncclGroupStart")) return ncclResult_t(result);
    ++group.depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    const int result = note("ncclGroupEnd");
    if (group.depth == 0) return error(ncclInvalidUsage, "ncclGroupEnd: not in a group call");
    if (result > 0) group.result = ncclResult_t(result);
    group.hangs = group.hangs || result == nccl_double_hangs;
    return --group.depth == 0 ? end_group() : ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
    const int noted = note("ncclAllReduce");
    ncclResult_t checked = check(comm, stream, type, 0);
    if (checked == ncclSuccess) checked = check_op(op);
    const size_t bytes = count * size_of(type);
    if (checked == ncclSuccess) checked = check_memory({from, bytes}, {to, bytes}, from == to);
    return enter(comm, stream, noted, checked, [&](Work& work) {
        {
            std::lock_guard lock(process().mutex);
            process().elements += long(count);
            process().last_type = type;
        }
        work.collectives.emplace_back([=, call = Call{Kind::all_reduce, -1, count, type, op}] {
            return comm->all_reduce(from, to, call);
        });
    });
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
    const int noted = note("ncclReduceScatter");
    ncclResult_t checked = check(comm, stream, type, 0);
    if (checked == ncclSuccess) checked = check_op(op);
    if (checked == ncclSuccess) {
        const size_t bytes = count * size_of(type);
        checked = check_memory({from, bytes * size_t(comm->size)}, {to, bytes},
                               to == static_cast<const char*>(from) + size_t(comm->rank) * bytes);
    }
    return enter(comm, stream, noted, checked, [&](Work& work) {
        work.collectives.emplace_back([=, call = Call{Kind::reduce_scatter, -1, count, type, op}] {
            return comm->reduce_scatter(from, to, call);
        });
    });
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
    const int noted = note("ncclAllGather");
    ncclResult_t checked = check(comm, stream, type, 0);
    if (checked == ncclSuccess) {
        const size_t bytes = count * size_of(type);
        checked = check_memory({from, bytes}, {to, bytes * size_t(comm->size)},
                               from == static_cast<char*>(to) + size_t(comm->rank) * bytes);
    }
    return enter(comm, stream, noted, checked, [&](Work& work) {
        work.collectives.emplace_back([=, call = Call{Kind::all_gather, -1, count, type, 0}] {
            return comm->all_gather(from, to, call);
        });
    });
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
    const int noted = note("ncclBroadcast");
    ncclResult_t checked = check(comm, stream, type, root);
    const size_t bytes = count * size_of(type);
    if (checked == ncclSuccess)  // Only root's `from` is read.
        checked = check_memory({from, comm->rank == root ? bytes : 0}, {to, bytes}, from == to);
    return enter(comm, stream, noted, checked, [&](Work& work) {
        work.collectives.emplace_back([=, call = Call{Kind::broadcast, root, count, type, 0}] {
            return comm->broadcast(from, to, call);
        });
    });
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    const int noted = note("ncclSend");
    ncclResult_t checked = check(comm, stream, type, peer);
    if (checked == ncclSuccess && !are_owned({{from, count * size_of(type)}}))
        checked = ncclInvalidArgument;
    return enter(comm, stream, noted, checked, [&](Work& work) {
        char* const data = static_cast<char*>(const_cast<void*>(from));
        work.messages.push_back({true, peer, data, count, type});
    });
}

ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    const int noted = note("ncclRecv");
    ncclResult_t checked = check(comm, stream, type, peer);
    if (checked == ncclSuccess && !are_owned({{to, count * size_of(type)}}))
        checked = ncclInvalidArgument;
    return enter(comm, stream, noted, checked, [&](Work& work) {
        work.messages.push_back({false, peer, static_cast<char*>(to), count, type});
    });
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
void nccl_double_hold(bool held) { process().is_held = held; }
}
