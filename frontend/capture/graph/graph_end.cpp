#include "frontend/capture/graph/graph_end.h"

#include <algorithm>
#include <bit>

namespace catena::capture {

bool GraphEnd::fits(const LiveGraph& live, std::span<const double> present) const {
    if (!(live.key == key)) return false;
    // Single operations have the attributes of their steps; a composite may have some that only its
    // gradient reads.
    for (size_t i = 0; i < live.nodes.size(); ++i)
        if (!(live.nodes[i]->attributes == nodes.records[size_t(nodes.walk_order[i])].attributes))
            return false;
    return std::all_of(numbers.begin(), numbers.end(), [&](const auto& number) {
        return std::bit_cast<uint64_t>(present[size_t(number.first)]) ==
               std::bit_cast<uint64_t>(number.second);
    });
}

bool GraphEnd::serves(std::span<const Variable> gy) const {
    for (size_t i = 0; i < gy.size(); ++i) {
        if (bool(asked[i]) == gy[i].defined()) continue;
        if (!asked[i] || !may_be_zero(int(i), gy)) return false;
    }
    return true;
}

/// Whether a result's gradient may be zero where it is on the way of another result's gradient, or
/// beside it.
bool GraphEnd::may_be_zero(int result, std::span<const Variable> gy) const {
    for (size_t j = 0; j < gy.size(); ++j)
        if (gy[j].defined() && (reach.result(int(j), result) ||
                                (zero_is_none[size_t(result)] && reach.creator(int(j), result))))
            return true;
    return false;
}

std::shared_ptr<const Trace> GraphEnd::backward_trace() const {
    return unpacked_backward ? unpacked_backward
                             : std::make_shared<const Trace>(backward.trace.unpacked());
}

size_t GraphEnd::bytes() const {
    return sizeof(*this) + key.bytes() + nodes.records.size() * sizeof(NodeRecord) +
           nodes.border_locations.size() * sizeof(SourceLoc) + forward.trace.bytes() +
           backward.trace.bytes();
}

}  // namespace catena::capture
