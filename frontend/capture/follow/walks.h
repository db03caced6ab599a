#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/follow/known_walk.h"
#include "runtime/graph/walk/walk_memory.h"

namespace catena::capture {

/// Walks of backward() and grad() inside a region's code, which are done again without calling the
/// gradients.
class Walks {
public:
    explicit Walks(FollowedCall& call) : call_(call) {}

    /// Forgets a walk that has not come to its end.
    void drop() { recording_.reset(); }

    // As those of WalkMemory.
    bool repeat(const WalkRequest& request, Variables& results);
    void visits(const Node& node);
    void stored(const VariableBody& leaf);
    void ended(std::span<const Variable> results);

private:
    /// A walk that is under way.
    struct Recording {
        Attempt<KnownWalk> attempt;
        std::unique_ptr<KnownWalk> made = std::make_unique<KnownWalk>();
        std::vector<const VariableBody*> leaves;
        /// The variables of the starts, and of all gradients given so far.
        std::vector<Variable> variables;
        bool into_leaves = false;  ///< True for backward(); see WalkRequest.
        bool is_repeatable = true;
    };

    bool describe(const WalkRequest& request);
    bool add_to_key(const Variable& gradient);
    bool reads_the_same(const KnownWalk& known) const;
    void do_again(const KnownWalk& known, const WalkRequest& request, Variables& results);
    void record(const WalkRequest& request, Place& at, KnownWalk* expected);
    bool write_down_nodes(KnownWalk& walk) const;
    void remember(const Variable& gradient, int leaf);
    bool complete(Recording& recording) const;

    FollowedCall& call_;
    std::optional<Recording> recording_;
    /// The variables of a walk that is done again, as Recording::variables.
    std::vector<Variable> variables_;
};

}  // namespace catena::capture
