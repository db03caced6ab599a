#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "frontend/capture/known_steps.h"
#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/attributes.h"
#include "runtime/graph/variable.h"

namespace catena::capture {

class Place;

/// What a backward() or grad() did at one place of a region's code. Gradients are functions of the
/// graph and the settings, so the same walk over an equal graph takes the same steps; it is
/// repeated without calling them. Custom functions, whose gradient is the user's code, are no part
/// of such graphs.
struct KnownWalk {
    /// What a node's gradient reads beside the graph's shape.
    struct Facts {
        Attributes attributes;
        SmallVector<int, 4> kept;          ///< The values of its kept arrays; -1: not kept.
        SmallVector<uint64_t, 1> numbers;  ///< The bits of its scalars.
    };
    /// A gradient that the walk stored in a leaf, or returned.
    struct Given {
        int leaf = -1;     ///< Among the edges of the graph's border; -1: it was returned.
        int value = -1;    ///< -1: undefined.
        int same_as = -1;  ///< It is the variable of this start or, counted on, of this earlier
                           ///< one; -1: its own.
        int steps = 0;     ///< Steps of the segment before it was stored.
        friend bool operator==(const Given&, const Given&) = default;
    };

    std::vector<int64_t> key;    ///< The settings and the request.
    std::vector<int64_t> shape;  ///< LiveGraph::shape.
    std::vector<Facts> nodes;    ///< In the order of GraphWalk.
    KnownSteps steps;
    std::vector<Given> given;
    std::vector<int> visited;  ///< Numbers of nodes.
    std::atomic<KnownState> state{KnownState::new_one};
    std::atomic<KnownWalk*> sibling{nullptr};

    bool did_the_same(const KnownWalk& other) const;
    size_t bytes() const;
};

/// A walk that runs, and is compared or remembered when it ends.
struct WalkRecording {
    std::unique_ptr<KnownWalk> made;
    KnownWalk* expected = nullptr;  ///< Null: it is a new one.
    Place* at = nullptr;
    const Step* before = nullptr;
    size_t scalars = 0, changes = 0, nodes = 0;
    int64_t disturbances = 0;
    std::vector<const VariableBody*> leaves;
    std::vector<Variable> variables;  ///< The starts, and all gradients given so far.
    bool into_leaves = false;         ///< See WalkRequest.
    bool is_repeatable = true;
};

}  // namespace catena::capture
