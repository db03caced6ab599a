#pragma once

#include <cstdint>
#include <span>

#include "runtime/comm/collectives/rank_part.h"
#include "runtime/comm/communicator.h"
#include "runtime/graph/op/op.h"

namespace catena::parallel {

// Arrays of which every rank has a part: for optimizers that divide their work among the ranks.

/// The elements of a part, 1-d.
Variable cut(const Operand& whole, const RankPart& part);

/// Starts, in the background, averaging a bucket of gradients of which every rank gets its parts;
/// returns the ticket, int64[]. wait_bucket() waits for the parts, which are 1-d. `dtype` and
/// `label` as for start_bucket. Not differentiable.
Variable start_parts(Communicator& comm, std::span<const Variable> gradients, Dtype dtype,
                     int64_t label);

/// Starts, in the background, sending this rank's parts of arrays of these types to all ranks;
/// returns the ticket. All must have one dtype. Not differentiable.
Variable start_gather(Communicator& comm, std::span<const Variable> parts,
                      std::span<const Type> wholes, int64_t label);
/// Waits for the whole arrays.
Variables wait_gather(Communicator& comm, const Variable& ticket, std::span<const Type> wholes);

}  // namespace catena::parallel
