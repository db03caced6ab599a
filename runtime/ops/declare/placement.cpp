#include "runtime/ops/declare/placement.h"

namespace catena {

namespace {

constexpr DeclarationKind<PlacementRule> placement_kind("places_among_zeros");

}  // namespace

Declaration places_among_zeros(PlacementRule begin) { return placement_kind(std::move(begin)); }

std::optional<Dims> placement_of(const PlacementCall& call) {
    const PlacementRule* const begin = placement_kind.in(call.op.declared);
    return begin ? (*begin)(call) : std::nullopt;
}

}  // namespace catena
