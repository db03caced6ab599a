#pragma once

#include <functional>
#include <span>

#include "runtime/comm/communicator.h"

namespace catena {

/// An all-reduce that adds in the order of the ranks, as Communicator::reduce_buffer does and to
/// the same bits, between ranks that each talk with few others.
///
/// A buffer of at most `most_exchanged` bytes is cut into as many pieces as there are ranks (the
/// largest power of two of them). In log2 of that many steps each rank exchanges with the one whose
/// number differs in one bit, and passes on what others are to add, until each has its piece of
/// every rank's buffer; it adds them, and the results go back in as many steps. With n ranks each
/// sends log2(n) / 2 + 1 times the buffer, but in few messages.
///
/// Of a larger one the sums go along the chain 0, 1, ... size - 1, where each rank adds its own,
/// and from the last rank the result goes around to all others, piece by piece, so that all ranks
/// work at a time: each sends the buffer at most twice, as reduce_buffer does, in many messages.
struct OrderedSum {
    int rank, size;
    /// Sends and receives messages, as Communicator::transfer.
    std::function<void(std::span<const Communicator::Message> sends,
                       std::span<const Communicator::Message> receives)>
        transfer;

    /// Sums into `buffer`; returns the number of bytes sent.
    int64_t operator()(const char* call, const Array& buffer, Reduction reduction) const;

    static constexpr int64_t most_exchanged = 2 << 20;
};

}  // namespace catena
