#pragma once

#include <functional>
#include <optional>

#include "runtime/graph/op.h"

namespace catena {

struct PlacementCall {
    const OpDef& op;
    const Attributes& attributes;
};
/// Declares that calls of an op put their only input among zeros: where its first element comes,
/// the others beside it; or nothing for a call that does something else. Used once, beside the op's
/// definition. Returns true.
bool set_placement(const OpDef& op, std::function<std::optional<Dims>(const PlacementCall&)> begin);
/// Nothing without a declaration.
std::optional<Dims> placement_of(const PlacementCall& call);

}  // namespace catena
