#pragma once

#include <memory>
#include <vector>

#include "frontend/capture/follower.h"

namespace catena::capture {

/// A region's followers that no call uses now. Each holds an array body for every value of its
/// path, so there are few: in a region that sees more sizes than that they go from tree to tree,
/// and then two are as good as many.
class IdleFollowers {
public:
    /// The latest one of this tree, else the one of any other that has been idle for longest if
    /// there are many, else a new one.
    std::unique_ptr<Follower> take(const std::shared_ptr<Tree>& tree);
    void give(const std::shared_ptr<Tree>& tree, std::unique_ptr<Follower> follower);
    void clear() { idle_.clear(); }

private:
    struct Idle {
        std::weak_ptr<Tree> tree;
        std::unique_ptr<Follower> follower;
    };
    std::unique_ptr<Follower> take(std::vector<Idle>::iterator idle);

    std::vector<Idle> idle_;  ///< The latest last.
    size_t most_ = 8;
};

}  // namespace catena::capture
