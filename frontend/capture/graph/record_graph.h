#pragma once

#include <memory>

#include "frontend/capture/graph/graph_end.h"

namespace catena::capture {

struct FollowedCall;

/// Records the backward program of `live` for gradients of the asked results, on shapes only.
std::unique_ptr<GraphEnd> record_graph(const FollowedCall& call, const LiveGraph& live,
                                       const AskedMask& asked);

}  // namespace catena::capture
