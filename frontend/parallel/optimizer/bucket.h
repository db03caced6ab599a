#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/optimizer/gradient_exchange.h"
#include "runtime/comm/communicator.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// Gradients of several parameters on their way to the mean over the ranks.
struct Transfer {
    std::vector<Type> types;  ///< Of what arrives.
    Variable ticket;
};

/// What arrives of the means.
enum class Means : uint8_t {
    whole,
    /// Each rank gets its part (part_of_rank()) of every one, 1-d.
    parts,
};

/// The position of a transfer among those of an update. It is a part of the transfer's label, so a
/// rank that sends more or fewer in one update gets an error at once, instead of staying an update
/// ahead of the others.
enum class TransferPlace : uint8_t {
    first,
    /// The first transfer of an update that repeats: earlier transfers of the update are not used.
    first_again,
    later,
};

/// Starts a transfer of gradients, named by the parameters' paths. With none it says that this rank
/// has none.
Transfer start_transfer(Communicator& communicator, std::span<const Variable> gradients,
                        std::span<const std::string> paths, Dtype dtype, TransferPlace place,
                        Means means = Means::whole);
/// Waits for a transfer; the result has one gradient for each path.
Variables wait_transfer(Communicator& communicator, const Transfer& transfer);

/// Gathers arrays of which each rank has its part, up to `bytes` at a time.
Variables gather_parts(Communicator& communicator, std::span<const PartToGather> parts,
                       int64_t bytes);

/// A hash of bytes.
uint64_t mix(uint64_t hash, const void* data, size_t bytes);
inline uint64_t mix(uint64_t hash, const std::string& text) {
    return mix(hash, text.data(), text.size());
}

}  // namespace catena
