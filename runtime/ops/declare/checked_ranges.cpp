#include "runtime/ops/declare/checked_ranges.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {

using CheckedRangesRules = OpRules<CheckedRanges>;

bool set_checked_ranges(const OpDef& op, std::function<CheckedRanges(const TypeCall&)> how) {
    return CheckedRangesRules::instance().add(op, std::move(how));
}

std::optional<CheckedRanges> checked_ranges(const TypeCall& call) {
    return CheckedRangesRules::instance().of(call);
}

}  // namespace catena
