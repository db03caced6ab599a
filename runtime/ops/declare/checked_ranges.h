#pragma once

#include <functional>
#include <optional>

#include "runtime/graph/op/op.h"

namespace catena {

/// What a kernel rejects: numbers of an operand that are not in [low, high), unless they are
/// `ignored`.
struct CheckedRange {
    int operand = 0;
    int64_t low = 0, high = 0;
    std::optional<int64_t> ignored;
};
using CheckedRanges = SmallVector<CheckedRange, 2>;

using CheckedRangesRule = std::function<CheckedRanges(const TypeCall&)>;

/// The declaration of an op with OpDef::checks_values: a call fails for these numbers only, so that
/// it cannot fail after another has accepted them.
Declaration rejects_outside(CheckedRangesRule ranges);
/// The ranges declared; none without a declaration: such a call may fail for any reason.
std::optional<CheckedRanges> checked_ranges(const TypeCall& call);

}  // namespace catena
