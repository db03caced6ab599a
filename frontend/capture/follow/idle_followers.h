#pragma once

#include <memory>
#include <vector>

#include "frontend/capture/follow/follower.h"

namespace catena::capture {

/// The Followers of a region that no call uses now. Each holds an array body for every value of its
/// path, so only a few are kept; in a region with more sizes than that a Follower is passed from
/// tree to tree.
class IdleFollowers {
public:
    /// A Follower for `tree`: the one that served it latest, else, if there are many, the one that
    /// has been idle for longest, else a new one.
    std::unique_ptr<Follower> take(const std::shared_ptr<Tree>& tree);
    void give(const std::shared_ptr<Tree>& tree, std::unique_ptr<Follower> follower);
    void clear() { idle_.clear(); }

private:
    struct Idle {
        std::weak_ptr<Tree> tree;
        std::unique_ptr<Follower> follower;
    };
    std::unique_ptr<Follower> take(std::vector<Idle>::iterator idle);

    std::vector<Idle> idle_;  ///< The idle Followers, the most recently used last.
    size_t most_ = 8;
};

}  // namespace catena::capture
