#pragma once

#include <functional>
#include <optional>

#include "runtime/graph/op/op.h"

namespace catena {

struct PlacementCall {
    const OpDef& op;
    const Attributes& attributes;
};
using PlacementRule = std::function<std::optional<Dims>(const PlacementCall&)>;

/// Calls of the op put their only input among zeros: where its first element comes, the others
/// beside it; or nothing for a call that does something else.
Declaration places_among_zeros(PlacementRule begin);
/// Nothing without a declaration.
std::optional<Dims> placement_of(const PlacementCall& call);

}  // namespace catena
