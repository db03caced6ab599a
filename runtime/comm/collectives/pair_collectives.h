#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/comm/collectives/collectives.h"
#include "runtime/comm/collectives/message.h"
#include "runtime/core/array/array.h"

namespace catena {

/// Catena's own collectives, made of messages between two ranks.
class PairCollectives : public Collectives {
public:
    using Message = CommunicatorMessage;
    /// Transfers messages as Communicator::transfer does.
    using Transfer = std::function<void(const char* call, std::span<const Message> sends,
                                        std::span<const Message> receives)>;
    PairCollectives(int rank, int size, Transfer transfer)
        : rank_(rank), size_(size), transfer_(std::move(transfer)) {}

    /// Blocks up to this size are packed with others, so that gather, scatter and all_gather take
    /// log2(ranks) messages. Packing costs copies, and in the trees of gather and scatter a block
    /// is sent log2(ranks) / 2 times on average, so larger blocks go directly.
    static constexpr size_t largest_packed = 4096;
    /// Arrays of at most this many bytes on all ranks together are sent to all of them, which takes
    /// log2(ranks) messages; each rank then adds all.
    static constexpr size_t largest_copied = 16384;

    /// A broadcast in a binomial tree: root sends the block log2(ranks) times.
    int64_t broadcast(const char* call, int root, Block block) override;
    int64_t gather(const char* call, int root, std::span<const Block> blocks) override;
    int64_t scatter(const char* call, int root, std::span<const Block> blocks) override;
    int64_t all_gather(const char* call, std::span<const Block> blocks) override;
    int64_t all_to_all(const char* call, std::span<const Block> to_ranks,
                       std::span<const Block> from_ranks, size_t largest) override;
    /// A reduce-scatter in rank order, whatever `sums`: that takes one message to each other rank
    /// either way.
    int64_t reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                           Block result, Reduction reduction, Sums sums) override;
    /// Each rank sends twice the array, in rank order by 2 (ranks - 1) messages, else by
    /// 2 log2(ranks). Small arrays are added in rank order by every rank.
    int64_t all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                       Reduction reduction, Sums sums) override;
    std::shared_ptr<void> take_memory_in_use() override;

protected:
    int rank() const { return rank_; }
    int size() const { return size_; }
    /// A broadcast whose root sends the block to every other rank.
    int64_t broadcast_directly(const char* call, int root, Block block);
    /// Calls f. If it fails, `memory` is kept: messages may still use it.
    template <class F>
    auto keeping(std::initializer_list<Array> memory, F&& f) {
        try {
            return f();
        } catch (...) {
            in_use_.insert(in_use_.end(), memory.begin(), memory.end());
            throw;
        }
    }

private:
    struct Cut;
    class Halving;
    struct Tree;
    /// Transfers the messages, of which `memory` owns a part; returns the bytes sent.
    int64_t move(const char* call, std::span<const Message> sends,
                 std::span<const Message> receives, std::initializer_list<Array> memory = {});
    int64_t gather_directly(const char* call, int root, std::span<const Block> blocks);
    int64_t scatter_directly(const char* call, int root, std::span<const Block> blocks);
    int64_t all_gather_packed(const char* call, std::span<const Block> blocks);
    int64_t all_gather_directly(const char* call, std::span<const Block> blocks);
    int64_t reduce_copies(const char* call, Dtype dtype, void* data, int64_t count,
                          Reduction reduction);
    int64_t reduce_pieces(const char* call, Dtype dtype, void* data, int64_t count,
                          Reduction reduction);
    int64_t reduce_by_halving(const char* call, Dtype dtype, void* data, int64_t count);

    int rank_, size_;
    Transfer transfer_;
    std::vector<Array> in_use_;
};

}  // namespace catena
