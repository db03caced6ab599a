#include "runtime/ops/declare/checked_ranges.h"

namespace catena {

namespace {

constexpr DeclarationKind<CheckedRangesRule> ranges_kind("rejects_outside");

}  // namespace

Declaration rejects_outside(CheckedRangesRule ranges) { return ranges_kind(std::move(ranges)); }

std::optional<CheckedRanges> checked_ranges(const TypeCall& call) {
    const CheckedRangesRule* const ranges = ranges_kind.in(call.op.declared);
    if (!ranges) return std::nullopt;
    return (*ranges)(call);
}

}  // namespace catena
