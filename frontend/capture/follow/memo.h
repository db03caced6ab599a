#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/call/known_steps.h"
#include "frontend/capture/path/outgrowth.h"
#include "frontend/capture/path/path.h"

namespace catena::capture {

/// How far a remembered walk or body is trusted. It is repeated from the third time on, if the
/// second time did the same as the first (confirmed).
enum class KnownState { new_one, confirmed, refuted };

/// Steps that follow from what is known before they are taken, at one place of a region's code. The
/// next call takes them again as a whole. `Known`, which derives from it, has what they follow from
/// and what else they did, and says of two that were given the same whether they did_the_same().
struct Remembered : Outgrowth {
    KnownSteps steps;
    std::atomic<KnownState> state{KnownState::new_one};
};

/// Steps that are under way. When they end they are compared with known ones, or remembered.
template <class Known>
struct Attempt {
    Place* at = nullptr;
    /// What to compare with; null: they are new ones.
    Known* expected = nullptr;
    FollowedCall::Moment since;

    /// `made`: what was done; null: something that cannot be repeated. False where known steps are
    /// checked, and these are others than before.
    bool conclude(std::unique_ptr<Known> made, Tree& tree) const {
        if (!expected) {
            if (!made) return true;
            std::lock_guard lock(tree.mutex);
            tree.grow(*at, std::move(made));
            return true;
        }
        const bool is_same = made && expected->did_the_same(*made);
        expected->state = is_same ? KnownState::confirmed : KnownState::refuted;
        return is_same || !known_steps_are_checked();
    }
};

}  // namespace catena::capture
