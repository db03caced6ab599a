#include "frontend/capture/follow/idle_followers.h"

#include <algorithm>

namespace catena::capture {
namespace {

constexpr size_t of_many_trees = 2;

/// Whether both are one tree, found out without the counts that lock() changes.
bool is_same(const std::weak_ptr<Tree>& a, const std::shared_ptr<Tree>& b) {
    return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

std::unique_ptr<Follower> IdleFollowers::take(const std::shared_ptr<Tree>& tree) {
    const auto latest = std::find_if(idle_.rbegin(), idle_.rend(),
                                     [&](const Idle& idle) { return is_same(idle.tree, tree); });
    if (latest != idle_.rend()) return take(std::prev(latest.base()));
    if (idle_.size() < most_) return std::make_unique<Follower>(*tree);
    most_ = of_many_trees;
    idle_.erase(idle_.begin(), idle_.end() - ptrdiff_t(most_));
    std::unique_ptr<Follower> follower = take(idle_.begin());
    follower->serve(*tree);
    return follower;
}

std::unique_ptr<Follower> IdleFollowers::take(std::vector<Idle>::iterator idle) {
    std::unique_ptr<Follower> follower = std::move(idle->follower);
    idle_.erase(idle);
    return follower;
}

void IdleFollowers::give(const std::shared_ptr<Tree>& tree, std::unique_ptr<Follower> follower) {
    if (idle_.size() == most_) idle_.erase(idle_.begin());
    idle_.push_back({tree, std::move(follower)});
}

}  // namespace catena::capture
