#pragma once

#include <functional>
#include <span>

#include "runtime/comm/communicator.h"

namespace catena {

/// An all-reduce that adds in the order of the ranks, as Communicator::reduce_buffer does and to
/// the same bits, between ranks that each talk with few others.
///
/// A small buffer goes up the binomial tree of rank 0, every rank's by itself; rank 0 adds them and
/// sends the sum down. Of a large one the sums go along the chain 0, 1, ... size - 1, where each
/// rank adds its own, and from the last rank the result goes around to all others, piece by piece,
/// so that all ranks work at a time: each sends the buffer at most twice, as reduce_buffer does,
/// but to the next rank alone.
struct OrderedSum {
    int rank, size;
    /// Communicator::transfer.
    std::function<void(std::span<const Communicator::Message> sends,
                       std::span<const Communicator::Message> receives)>
        transfer;

    /// Sums into `buffer`; returns the number of bytes sent.
    int64_t operator()(const char* call, const Array& buffer, Reduction reduction) const;

private:
    int64_t on_tree(const char* call, const Array& buffer, Reduction reduction) const;
    int64_t along_chain(const char* call, const Array& buffer, Reduction reduction) const;
};

}  // namespace catena
