#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/graph/op.h"

namespace catena {

/// Gradients of several parameters on their way to the mean over the ranks.
struct Transfer {
    std::vector<Type> types;
    Variable ticket;
};

/// Where a transfer stands among those of an update. It is a part of the transfer's label: a rank
/// that sends more or less than another in one update is then an error there, instead of being an
/// update ahead from then on.
enum class TransferPlace : uint8_t {
    first,
    first_again,  ///< The update's earlier transfers are not used.
    later,
};

/// Starts a transfer of gradients, named by the parameters' paths. With none it says that this rank
/// has none.
Transfer start_transfer(Communicator& communicator, std::span<const Variable> gradients,
                        std::span<const std::string> paths, Dtype dtype, TransferPlace place);
/// One for each path.
Variables wait_transfer(Communicator& communicator, const Transfer& transfer);

/// A hash of bytes.
uint64_t mix(uint64_t hash, const void* data, size_t bytes);
inline uint64_t mix(uint64_t hash, const std::string& text) {
    return mix(hash, text.data(), text.size());
}

}  // namespace catena
