#include "runtime/ops/declare/placement.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {

using PlacementRules = OpRules<std::optional<Dims>, PlacementCall>;

bool set_placement(const OpDef& op,
                   std::function<std::optional<Dims>(const PlacementCall&)> begin) {
    return PlacementRules::instance().add(op, std::move(begin));
}

std::optional<Dims> placement_of(const PlacementCall& call) {
    return PlacementRules::instance().of(call).value_or(std::nullopt);
}

}  // namespace catena
