#pragma once

#include <cstddef>
#include <vector>

namespace catena::capture {

struct LiveGraph;
class MadeNodes;

/// Reachability in a LiveGraph: which results and border edges lie below which results.
class Reach {
public:
    Reach() = default;
    /// `nodes`: those of the call.
    Reach(const LiveGraph& live, const MadeNodes& nodes);
    /// Whether result `from` was computed from result `other`.
    bool result(int from, int other) const { return below_[size_t(from)][size_t(other)]; }
    /// Whether result `from` was computed by the operation that gave result `other`.
    bool creator(int from, int other) const { return creators_[size_t(from)][size_t(other)]; }
    /// Whether a gradient of `result` flows to edge `edge` of the border.
    bool border(int result, int edge) const { return above_[size_t(edge)][size_t(result)]; }

private:
    /// For each result, the results that it was computed from.
    std::vector<std::vector<bool>> below_;
    std::vector<std::vector<bool>>
        creators_;  ///< For each result, the results that an operation of its history gave.
    std::vector<std::vector<bool>>
        above_;  ///< For each border edge, the results whose gradient reaches it.
};

}  // namespace catena::capture
