#pragma once

#include "runtime/ops/communication/communication.h"

namespace catena::parallel {

// Several arrays from one rank to another: what ChainerMN's send does with a tuple. Array i goes by
// the tag `tag + i`.

/// Sends several arrays; ValueError when there is none. Backward from the delegate receives all
/// gradients.
Variable send(Communicator& comm, std::span<const Variable> xs, int rank, int tag = 0);
/// Receives the `count` arrays that `rank` sends. Every one of them needs a gradient in backward:
/// the sender waits for all.
Variables recv_tuple(Communicator& comm, int rank, int count, const Variable& delegate = Variable(),
                     int tag = 0);
/// Returns xs; the gradient of each also reaches the delegate.
Variables pseudo_connect(const Variable& delegate, std::span<const Variable> xs);

}  // namespace catena::parallel
