#include "runtime/comm/nccl/nccl_collectives.h"

#include <utility>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {
namespace {

ncclRedOp_t operator_of(Reduction reduction) {
    return reduction == Reduction::mean ? ncclAvg : ncclSum;
}

std::string elements(const char* function, Dtype dtype, int64_t count) {
    return fmt::format("{} of {}", function, to_string(Type{dtype, {count}}));
}

/// Whether the blocks are equally large and lie one behind the other, as NCCL wants them.
bool are_in_a_row(std::span<const Block> blocks) {
    for (size_t r = 0; r < blocks.size(); ++r)
        if (blocks[r].bytes != blocks[0].bytes ||
            blocks[r].data != static_cast<char*>(blocks[0].data) + r * blocks[0].bytes)
            return false;
    return true;
}

}  // namespace

std::optional<ncclDataType_t> nccl_type(Dtype dtype) {
    switch (dtype) {
        case Dtype::int8:
            return ncclInt8;
        case Dtype::uint8:
            return ncclUint8;
        case Dtype::int32:
            return ncclInt32;
        case Dtype::int64:
            return ncclInt64;
        case Dtype::float16:
            return ncclFloat16;
        case Dtype::bfloat16:
            return ncclBfloat16;
        case Dtype::float32:
            return ncclFloat32;
        case Dtype::float64:
            return ncclFloat64;
        default:
            return {};
    }
}

void NcclCollectives::filled(const void* data) {
    auto mark = group_->device().mark();
    std::lock_guard lock(mutex_);
    marks_[data] = std::move(mark);
}

std::unique_ptr<CodeDevice::Mark> NcclCollectives::mark_of(const void* data) {
    std::lock_guard lock(mutex_);
    auto found = marks_.find(data);
    CATENA_ASSERT(found != marks_.end(), "memory to be added was not announced");
    auto mark = std::move(found->second);
    marks_.erase(found);
    return mark;
}

void NcclCollectives::begin(const char* call, std::string what,
                            std::unique_ptr<CodeDevice::Mark> full, const NcclGroup::Calls& calls) {
    last_.reset();
    last_ = group_->begin(call, std::move(what), *full, calls, lost_rank_);
}

Collectives::Completion NcclCollectives::take_completion() {
    if (!last_) return nullptr;
    Completion wait = [group = group_, work = *std::exchange(last_, {})](
                          const NcclGroup::LostRank& lost_rank) { group->finish(work, lost_rank); };
    return wait;
}

//---- blocks

int64_t NcclCollectives::broadcast(const char* call, int root, Block block) {
    if (block.bytes == 0) return 0;
    begin(call, fmt::format("ncclBroadcast of {} bytes from rank {}", block.bytes, root),
          group_->device().mark(), [&](ncclComm_t comm, cudaStream_t stream) {
              return group_->library().ncclBroadcast(block.data, block.data, block.bytes, ncclUint8,
                                                     root, comm, stream);
          });
    return rank_ == root ? int64_t(block.bytes) : 0;
}

/// What a rank sends and receives in one group of calls, which NCCL does at once.
struct NcclCollectives::Transfers {
    explicit Transfers(int rank) : rank(rank) {}
    /// Blocks of a rank with itself, and empty ones, are left out, by both ranks.
    void send(size_t to, const Block& block) {
        if (int(to) != rank && block.bytes > 0) sends.emplace_back(int(to), block);
    }
    void receive(size_t from, const Block& block) {
        if (int(from) != rank && block.bytes > 0) receives.emplace_back(int(from), block);
    }
    int64_t bytes(const std::vector<std::pair<int, Block>>& messages) const {
        int64_t sum = 0;
        for (const auto& [peer, block] : messages) sum += int64_t(block.bytes);
        return sum;
    }
    int rank;
    std::vector<std::pair<int, Block>> sends, receives;
};

int64_t NcclCollectives::exchange(const char* call, const Transfers& transfers) {
    if (transfers.sends.empty() && transfers.receives.empty()) return 0;
    const int64_t sent = transfers.bytes(transfers.sends);
    const NcclLibrary& nccl = group_->library();
    begin(
        call,
        fmt::format("ncclSend of {} bytes to {} ranks, ncclRecv of {} from {}", sent,
                    transfers.sends.size(), transfers.bytes(transfers.receives),
                    transfers.receives.size()),
        group_->device().mark(), [&](ncclComm_t comm, cudaStream_t stream) {
            ncclResult_t result = nccl.ncclGroupStart();
            if (result != ncclSuccess) return result;
            // In a group calls are only noted: what is wrong with one is said at once.
            for (const auto& [peer, block] : transfers.sends)
                if (result == ncclSuccess)
                    result = nccl.ncclSend(block.data, block.bytes, ncclUint8, peer, comm, stream);
            for (const auto& [peer, block] : transfers.receives)
                if (result == ncclSuccess)
                    result = nccl.ncclRecv(block.data, block.bytes, ncclUint8, peer, comm, stream);
            const ncclResult_t ended = nccl.ncclGroupEnd();  // Whatever has happened in it.
            return result == ncclSuccess ? ended : result;
        });
    return sent;
}

int64_t NcclCollectives::gather(const char* call, int root, std::span<const Block> blocks) {
    Transfers transfers(rank_);
    if (rank_ != root) transfers.send(size_t(root), blocks[size_t(rank_)]);
    for (size_t r = 0; r < blocks.size(); ++r)
        if (rank_ == root) transfers.receive(r, blocks[r]);
    return exchange(call, transfers);
}

int64_t NcclCollectives::scatter(const char* call, int root, std::span<const Block> blocks) {
    Transfers transfers(rank_);
    if (rank_ != root) transfers.receive(size_t(root), blocks[size_t(rank_)]);
    for (size_t r = 0; r < blocks.size(); ++r)
        if (rank_ == root) transfers.send(r, blocks[r]);
    return exchange(call, transfers);
}

int64_t NcclCollectives::all_to_all(const char* call, std::span<const Block> to_ranks,
                                    std::span<const Block> from_ranks, size_t) {
    Transfers transfers(rank_);
    for (size_t r = 0; r < to_ranks.size(); ++r) {
        transfers.send(r, to_ranks[r]);
        transfers.receive(r, from_ranks[r]);
    }
    return exchange(call, transfers);
}

int64_t NcclCollectives::all_gather(const char* call, std::span<const Block> blocks) {
    CATENA_ASSERT(are_in_a_row(blocks), "NCCL gathers blocks that lie one behind the other");
    const Block& own = blocks[size_t(rank_)];
    if (own.bytes == 0) return 0;
    begin(call, fmt::format("ncclAllGather of {} bytes of each rank", own.bytes),
          group_->device().mark(), [&](ncclComm_t comm, cudaStream_t stream) {
              return group_->library().ncclAllGather(own.data, blocks[0].data, own.bytes, ncclUint8,
                                                     comm, stream);
          });
    return int64_t(own.bytes) * (size_ - 1);
}

//---- sums

int64_t NcclCollectives::reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                                        Block result, Reduction reduction, Sums) {
    CATENA_ASSERT(are_in_a_row(parts), "NCCL adds parts that lie one behind the other");
    if (result.bytes == 0) return 0;
    const size_t count = result.bytes / size_of(dtype);
    begin(call, elements("ncclReduceScatter", dtype, int64_t(count)), mark_of(parts[0].data),
          [&](ncclComm_t comm, cudaStream_t stream) {
              return group_->library().ncclReduceScatter(parts[0].data, result.data, count,
                                                         nccl_type(dtype).value(),
                                                         operator_of(reduction), comm, stream);
          });
    return int64_t(result.bytes) * (size_ - 1);
}

int64_t NcclCollectives::all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                                    Reduction reduction, Sums) {
    if (count == 0) return 0;
    begin(call, elements("ncclAllReduce", dtype, count), mark_of(data),
          [&](ncclComm_t comm, cudaStream_t stream) {
              return group_->library().ncclAllReduce(data, data, size_t(count),
                                                     nccl_type(dtype).value(),
                                                     operator_of(reduction), comm, stream);
          });
    return 2 * count * int64_t(size_of(dtype)) * (size_ - 1) / size_;
}

}  // namespace catena
