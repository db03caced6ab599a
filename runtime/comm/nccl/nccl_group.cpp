#include "runtime/comm/nccl/nccl_group.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "runtime/comm/collectives/communication_error.h"
#include "runtime/comm/patience.h"

namespace catena {
namespace {

using NcclClock = std::chrono::steady_clock;

/// How long work may still take to complete here once a rank has gone, which may have had it first.
constexpr auto grace = std::chrono::seconds(10);

}  // namespace

/// Checks while waiting for others: lost ranks and the timeout.
class NcclGroup::Watch {
public:
    explicit Watch(const LostRank& lost_rank) : lost_rank_(lost_rank) {}
    /// Why it is to be given up; "" for not yet.
    std::string complaint() {
        const NcclClock::time_point now = NcclClock::now();
        if (const int lost = lost_rank_(); lost >= 0) {
            lost_at_ = std::min(lost_at_, now);
            if (now - lost_at_ > grace)
                return fmt::format("it waits for rank {}, which has left the group", lost);
        }
        if (std::chrono::duration<double>(now - start_).count() > communication_timeout())
            return fmt::format("it has waited {} s for other ranks", communication_timeout());
        return "";
    }

private:
    const LostRank& lost_rank_;
    NcclClock::time_point start_ = NcclClock::now();
    NcclClock::time_point lost_at_ =
        NcclClock::time_point::max();  ///< A rank was first seen to be gone.
};

void NcclGroup::join(const ncclUniqueId& id, int size, const LostRank& lost_rank) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;  // What waits is this class, which knows when to stop.
    const Work work{"create_communicator(pure_nccl)", "making a communicator", nullptr};
    stream_->handle();
    ncclResult_t result;
    {
        std::lock_guard lock(mutex_);
        result = nccl_.ncclCommInitRankConfig(&comm_, size, id, rank_, &config);
    }
    complete(work, result, lost_rank);
}

NcclGroup::Work NcclGroup::begin(const char* call, std::string what, const CodeDevice::Mark& full,
                                 const Calls& calls, const LostRank& lost_rank) {
    Work work{call, std::move(what), nullptr};
    stream_->wait_for(full);
    auto* stream = static_cast<cudaStream_t>(stream_->handle());
    ncclResult_t result = ncclInvalidUsage;
    {
        std::lock_guard lock(mutex_);
        if (comm_) result = calls(comm_, stream);
    }
    complete(work, result, lost_rank);
    work.done = stream_->mark();
    return work;
}

void NcclGroup::finish(const Work& work, const LostRank& lost_rank) {
    stream_->handle();  // Makes the device this thread's.
    Watch watch(lost_rank);
    for (Patience patience; !work.done->is_reached();)
        if (patience.wait()) {
            const ncclResult_t result = state();
            if (result != ncclSuccess && result != ncclInProgress) give_up(work, words(result));
            if (const std::string why = watch.complaint(); !why.empty()) give_up(work, why);
        }
    std::lock_guard lock(mutex_);
    if (is_over_)
        fail<CommunicationError>("{}: NCCL fails on rank {}: {}: it was aborted{}", work.call,
                                 rank_, work.what, reason_.empty() ? "" : ", since " + reason_);
}

/// Waits for NCCL's asynchronous calls, and throws their errors.
void NcclGroup::complete(const Work& work, ncclResult_t result, const LostRank& lost_rank) {
    Watch watch(lost_rank);
    for (Patience patience; result == ncclInProgress; result = state())
        if (patience.wait())
            if (const std::string why = watch.complaint(); !why.empty()) give_up(work, why);
    if (result != ncclSuccess) give_up(work, words(result));
}

/// What has become of the calls so far.
ncclResult_t NcclGroup::state() {
    std::lock_guard lock(mutex_);
    if (!comm_) return ncclInvalidUsage;
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = nccl_.ncclCommGetAsyncError(comm_, &state);
    return asked == ncclSuccess ? state : asked;
}

std::string NcclGroup::words(ncclResult_t result) {
    std::lock_guard lock(mutex_);
    if (is_over_) return "it was aborted";
    std::string text = nccl_.ncclGetErrorString(result);
    const char* more = nccl_.ncclGetLastError(comm_);
    if (more && *more) text += fmt::format(" ({})", more);
    return text;
}

/// Also ends the waiting of the other ranks.
void NcclGroup::give_up(const Work& work, const std::string& why) {
    {
        std::lock_guard lock(mutex_);
        if (reason_.empty()) reason_ = fmt::format("{} failed: {}", work.what, why);
    }
    abort();
    fail<CommunicationError>("{}: NCCL fails on rank {}: {}: {}", work.call, rank_, work.what, why);
}

void NcclGroup::abort() {
    std::lock_guard lock(mutex_);
    is_over_ = true;  // Before the work ends.
    if (!comm_) return;
    stream_->handle();
    nccl_.ncclCommAbort(std::exchange(comm_, nullptr));
}

}  // namespace catena
