#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/comm/nccl/library.h"
#include "runtime/core/array/code_device.h"

namespace catena {

/// A communicator of NCCL's, and the stream of its work on this rank's GPU. Nothing waits without
/// end for other ranks: what is late, refused or without the rank that it needs is aborted, which
/// is an error that names the call, on this rank as on those that wait for it.
class NcclGroup {
public:
    /// Returns a rank that is known to be gone, or -1.
    using LostRank = std::function<int()>;
    /// Calls NCCL, which adds work to the stream.
    using Calls = std::function<ncclResult_t(ncclComm_t, cudaStream_t)>;
    /// Work that NCCL was given.
    struct Work {
        const char* call;  ///< The call of Communicator.
        std::string what;  ///< "ncclAllReduce of float32[100]".
        std::shared_ptr<CodeDevice::Mark> done;
    };

    NcclGroup(CodeDevice& device, int rank) : device_(device), rank_(rank) {}
    ~NcclGroup() { abort(); }
    NcclGroup(const NcclGroup&) = delete;

    /// Joins the communicator of that id. Called once by all ranks.
    void join(const ncclUniqueId& id, int size, const LostRank& lost_rank);
    /// Gives NCCL work that begins when `full` is reached, and what the stream was given before is
    /// done. Called by one thread at a time.
    Work begin(const char* call, std::string what, const CodeDevice::Mark& full, const Calls& calls,
               const LostRank& lost_rank);
    /// Waits until the work is done; any thread may.
    void finish(const Work& work, const LostRank& lost_rank);
    /// Ends all work, also where other ranks are gone. Not ncclCommDestroy, which would wait for
    /// them.
    void abort();

    const NcclLibrary& library() const { return nccl_; }
    CodeDevice& device() const { return device_; }
    /// NCCL's description of a failure.
    std::string words(ncclResult_t result);

private:
    class Watch;
    ncclResult_t state();
    void complete(const Work& work, ncclResult_t result, const LostRank& lost_rank);
    [[noreturn]] void give_up(const Work& work, const std::string& why);

    const NcclLibrary& nccl_ = nccl_library();
    CodeDevice& device_;
    const int rank_;
    std::unique_ptr<CodeDevice::Stream> stream_ = device_.make_stream();
    std::mutex mutex_;  ///< NCCL takes one call at a time for a communicator.
    ncclComm_t comm_ = nullptr;
    bool is_over_ = false;  ///< It was aborted: work that looks done may have been ended.
    std::string reason_;    ///< The first error that has aborted it.
};

}  // namespace catena
