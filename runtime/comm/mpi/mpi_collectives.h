#pragma once

#include <functional>
#include <span>

#include <mpi.h>

#include "runtime/comm/collectives/pair_collectives.h"

namespace catena {

/// MPI's non-blocking collectives. All ranks have been found to make the same call before one of
/// them begins, so a rank that does not join a call is named by that check, not by MPI.
class MpiCollectives final : public PairCollectives {
public:
    struct Ways {
        /// Catena's own messages, for sums in rank order and what `prefers_messages` says.
        Transfer transfer;
        /// Whether messages of that many bytes are faster: those through shared memory. Equal on
        /// all ranks.
        std::function<bool(size_t bytes)> prefers_messages;
        /// The most bytes of one call of MPI, which counts in int; larger ones are divided.
        std::function<size_t()> largest_call;
    };
    MpiCollectives(MPI_Comm comm, int rank, int size, Ways ways)
        : PairCollectives(rank, size, ways.transfer), comm_(comm), ways_(std::move(ways)) {}

    int64_t broadcast(const char* call, int root, Block block) override;
    int64_t gather(const char* call, int root, std::span<const Block> blocks) override;
    int64_t scatter(const char* call, int root, std::span<const Block> blocks) override;
    int64_t all_gather(const char* call, std::span<const Block> blocks) override;
    int64_t all_to_all(const char* call, std::span<const Block> to_ranks,
                       std::span<const Block> from_ranks, size_t largest) override;
    /// A reduce-scatter by MPI for Sums::engine, unless elements have 16 bits.
    int64_t reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                           Block result, Reduction reduction, Sums sums) override;
    /// An all-reduce by MPI for Sums::engine. Elements of 16 bits are added as float32.
    int64_t all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                       Reduction reduction, Sums sums) override;

private:
    struct Packed;
    /// Waits for the request of an MPI function over `bytes` bytes.
    void wait(const char* call, const char* function, size_t bytes, MPI_Request request);
    /// Divides blocks of up to `largest` bytes into parts, of which one call of MPI takes one of
    /// each rank: calls f(begin, end) with their places.
    template <class F>
    void for_each_part(size_t largest, F f) const;

    MPI_Comm comm_;
    Ways ways_;
};

}  // namespace catena
