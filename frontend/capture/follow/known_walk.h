#pragma once

#include <cstdint>
#include <vector>

#include "frontend/capture/call/graph_key.h"
#include "frontend/capture/follow/memo.h"
#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/op/attributes.h"

namespace catena::capture {

/// The steps that a backward() or grad() took at one place of a region's code. Gradients depend on
/// the graph and the settings alone, so the same walk over an equal graph takes the same steps,
/// which are repeated without calling the gradients. Custom functions, whose gradient is the user's
/// code, are no part of such graphs.
struct KnownWalk : Remembered {
    static constexpr Kind kind = Kind::walk;
    /// The inputs of a node's gradient that the graph's shape does not tell.
    struct Facts {
        Attributes attributes;
        SmallVector<int, 4> kept;  ///< The values of the arrays that the node keeps; -1: not kept.
        SmallVector<uint64_t, 1> numbers;  ///< The bits of the node's scalars.
    };
    /// A gradient that the walk stored in a leaf, or returned.
    struct Given {
        /// Index of the leaf among the border edges of the graph; -1: the gradient was returned.
        int leaf = -1;
        int value = -1;  ///< The gradient, as a value of the segment; -1: undefined.
        /// The variable that holds it, if it is not a new one: the index of a start or, counted on
        /// behind the starts, of an earlier Given; -1: a new variable.
        int same_as = -1;
        int steps = 0;  ///< How many steps of the segment came before the gradient was stored.
        friend bool operator==(const Given&, const Given&) = default;
    };

    GraphKey key;              ///< The graph, the settings and the request of the walk.
    std::vector<Facts> nodes;  ///< The nodes' facts, in the order of GraphWalk.
    std::vector<Given> given;
    std::vector<int> visited;  ///< Numbers of the nodes that the walk visited.

    bool did_the_same(const KnownWalk& other) const;
    size_t bytes() const override;
};

}  // namespace catena::capture
