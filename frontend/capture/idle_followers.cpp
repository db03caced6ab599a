#include "frontend/capture/idle_followers.h"

#include <algorithm>

namespace catena::capture {
namespace {

constexpr size_t most = 8;

/// Without the counts that lock() changes.
bool is_same(const std::weak_ptr<Tree>& a, const std::shared_ptr<Tree>& b) { return !a.owner_before(b) && !b.owner_before(a); }

}  // namespace

std::unique_ptr<Follower> IdleFollowers::take(const std::shared_ptr<Tree>& tree) {
    auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle& idle) { return is_same(idle.tree, tree); });
    if (found == idle_.rend() && idle_.size() < most) return std::make_unique<Follower>(*tree);
    const auto taken = found == idle_.rend() ? idle_.begin() : std::prev(found.base());
    if (found == idle_.rend()) taken->follower->serve(*tree);
    std::unique_ptr<Follower> follower = std::move(taken->follower);
    idle_.erase(taken);
    return follower;
}

void IdleFollowers::give(const std::shared_ptr<Tree>& tree, std::unique_ptr<Follower> follower) {
    if (idle_.size() == most) idle_.erase(idle_.begin());
    idle_.push_back({tree, std::move(follower)});
}

}  // namespace catena::capture
