#include "runtime/ops/declare/placement.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {

using Rules = OpRules<std::optional<Dims>, PlacementCall>;

bool set_placement(const OpDef& op,
                   std::function<std::optional<Dims>(const PlacementCall&)> begin) {
    return Rules::instance().add(op, std::move(begin));
}

std::optional<Dims> placement_of(const PlacementCall& call) {
    return Rules::instance().of(call).value_or(std::nullopt);
}

}  // namespace catena
