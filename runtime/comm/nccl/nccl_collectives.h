#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "runtime/comm/collectives/collectives.h"
#include "runtime/comm/nccl/nccl_group.h"

namespace catena {

/// NCCL's name of a dtype whose elements it adds; none for int16 and bool.
std::optional<ncclDataType_t> nccl_type(Dtype dtype);

/// NCCL's collectives, over blocks on the ranks' GPUs. They return when NCCL has the work, of which
/// several pieces may be on their way; take_completion() waits for the last one. Elements are moved
/// as bytes, of any dtype. Sums are in NCCL's order, whatever `sums`; a mean divides first, so that
/// sums of 16-bit floats do not overflow.
class NcclCollectives final : public Collectives {
public:
    NcclCollectives(std::shared_ptr<NcclGroup> group, int rank, int size,
                    NcclGroup::LostRank lost_rank)
        : group_(std::move(group)), rank_(rank), size_(size), lost_rank_(std::move(lost_rank)) {}

    int64_t broadcast(const char* call, int root, Block block) override;
    int64_t gather(const char* call, int root, std::span<const Block> blocks) override;
    int64_t scatter(const char* call, int root, std::span<const Block> blocks) override;
    int64_t all_gather(const char* call, std::span<const Block> blocks) override;
    int64_t all_to_all(const char* call, std::span<const Block> to_ranks,
                       std::span<const Block> from_ranks, size_t largest) override;
    int64_t reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                           Block result, Reduction reduction, Sums sums) override;
    int64_t all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                       Reduction reduction, Sums sums) override;
    Completion take_completion() override;

    /// The next sum over memory that begins at `data` waits for what the device was given until
    /// now, and for nothing after it. Called before each; any thread may.
    void filled(const void* data);

private:
    void begin(const char* call, std::string what, std::unique_ptr<CodeDevice::Mark> full,
               const NcclGroup::Calls& calls);
    std::unique_ptr<CodeDevice::Mark> mark_of(const void* data);
    struct Transfers;
    int64_t exchange(const char* call, const Transfers& transfers);

    std::shared_ptr<NcclGroup> group_;
    int rank_, size_;
    NcclGroup::LostRank lost_rank_;
    std::optional<NcclGroup::Work> last_;
    std::mutex mutex_;
    std::map<const void*, std::unique_ptr<CodeDevice::Mark>> marks_;  ///< Of filled(), by address.
};

}  // namespace catena
