#pragma once

#include <span>
#include <vector>

#include "runtime/ops/communication/message.h"

// What the operations are made of that send in the background: one starts, another waits.
namespace catena::parallel {

/// Runs an op that starts sending `inputs`; returns its ticket.
Variable start(const OpDef& op, Communicator& comm, std::span<const Variable> inputs,
               std::vector<Attributes::Entry> entries);
/// Runs an op that waits for arrays of these types.
Variables await(const OpDef& op, Communicator& comm, const Variable& ticket,
                std::span<const Type> types);
/// The types that await() has given to an op.
Types types_awaited(const TypeCall& call);

}  // namespace catena::parallel
