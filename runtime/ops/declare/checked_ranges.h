#pragma once

#include <optional>

#include "runtime/graph/op.h"

namespace catena {

/// What a kernel rejects: numbers of an operand that are not in [low, high), unless they are
/// `ignored`.
struct CheckedRange {
    int operand = 0;
    int64_t low = 0, high = 0;
    std::optional<int64_t> ignored;
};
using CheckedRanges = SmallVector<CheckedRange, 2>;

/// Declares that a call of an op with OpDef::checks_values fails for these numbers only, so that it
/// cannot fail after another has accepted them; used once, beside its definition. Returns true.
bool set_checked_ranges(const OpDef& op, std::function<CheckedRanges(const TypeCall&)> how);
/// The ranges declared with set_checked_ranges; none without a declaration: such a call may fail
/// for any reason.
std::optional<CheckedRanges> checked_ranges(const TypeCall& call);

}  // namespace catena
