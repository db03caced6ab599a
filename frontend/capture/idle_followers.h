#pragma once

#include <memory>
#include <vector>

#include "frontend/capture/follower.h"

namespace catena::capture {

/// A region's followers that no call uses now. Each holds an array body for every value of its path, so there are few: with more
/// trees than that, as in a region that sees hundreds of sizes, they go from tree to tree.
class IdleFollowers {
public:
    /// The latest one of this tree, else the one of any other that has been idle for longest if there are many, else a new one.
    std::unique_ptr<Follower> take(const std::shared_ptr<Tree>& tree);
    void give(const std::shared_ptr<Tree>& tree, std::unique_ptr<Follower> follower);
    void clear() { idle_.clear(); }

private:
    struct Idle {
        std::weak_ptr<Tree> tree;
        std::unique_ptr<Follower> follower;
    };
    std::vector<Idle> idle_;  ///< The latest last.
};

}  // namespace catena::capture
