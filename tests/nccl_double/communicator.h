#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nccl.h>

#include "tests/cuda/emulated_stream.h"
#include "tests/nccl_double/shared_file.h"

namespace nccl_double {

/// A message to or from another rank.
struct Message {
    bool is_send;
    int peer;
    char* data;
    uint64_t count;
    int32_t type;
    uint64_t done = 0;  ///< Bytes of it.
    bool began = false, ended = false;
};

/// What one call, or one group of calls, does on a stream: collectives one after another, and then
/// all messages at once.
struct Work {
    std::vector<std::function<bool()>> collectives;
    std::vector<Message> messages;
    catena::testing::EmulatedStream* stream = nullptr;
};

}  // namespace nccl_double

/// One rank, and the thread that does its work as a GPU would: in order, after the call returned.
struct ncclComm {
    nccl_double::Meeting* meeting = nullptr;
    int rank = 0, size = 0;
    bool blocks = true;
    std::atomic<ncclResult_t> state{ncclInProgress};

    void start(const std::string& path);
    /// Gives it work; ncclInProgress when it need not block.
    ncclResult_t post(nccl_double::Work work, bool hangs);
    /// Its state, for ncclCommGetAsyncError: work that it was given is in progress until it was
    /// asked twice, as if it took so long to reach the stream.
    ncclResult_t ask();
    /// Ends it as ncclCommAbort does: the work ends, too, done or not.
    void end();

    /// What work is made of; false when this or another rank has given up.
    bool all_reduce(const void* from, void* to, const nccl_double::Call& call);
    bool reduce_scatter(const void* from, void* to, const nccl_double::Call& call);
    bool all_gather(const void* from, void* to, const nccl_double::Call& call);
    bool broadcast(const void* from, void* to, const nccl_double::Call& call);

private:
    void join(const std::string& path);
    void work();
    bool perform(nccl_double::Work& work);
    bool exchange(std::vector<nccl_double::Message>& messages);
    bool step(nccl_double::Message& message);
    bool add(const char* from, char* to, size_t count, const nccl_double::Call& call, bool here);
    bool is_well() const;
    void fail(ncclResult_t result, const std::string& words);
    bool is_over(bool quietly);
    template <class Ready>
    bool wait(Ready ready);
    bool meet();
    bool agree(const nccl_double::Call& own);

    int64_t meetings_ = 0;
    std::atomic<int> questions_left_{0};
    std::atomic<bool> stops_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<nccl_double::Work> jobs_;
    std::vector<catena::testing::EmulatedStream*> unfinished_;  ///< One for each piece of work.
    std::thread worker_;
};
