#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/capture/known_steps.h"
#include "frontend/capture/path.h"
#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/op.h"

namespace catena::capture {

/// What the body of a composite did at one place of a region's code. Eager code runs the
/// composite's own kernel, so its body is a function of what the composite is given, too: given the
/// same, it takes the same steps, which are taken again without calling it. A composite without a
/// kernel always runs its body, which may be the user's code.
struct KnownBody {
    struct Input {
        int value = -1;
        const Step::Input* from_outside =
            nullptr;       ///< Not null: one of the steps is the first to read it.
        int same_as = -1;  ///< An earlier one that is the same array from outside.
        friend bool operator==(const Input&, const Input&) = default;
    };

    const OpDef* op = nullptr;
    Attributes attributes;
    uint64_t settings = 0;           ///< config_key().
    const Device* device = nullptr;  ///< The current one.
    int first_scalar = 0;
    SmallVector<uint64_t, 2> numbers;  ///< The bits of its scalars.
    std::vector<Input> inputs;
    KnownSteps steps;
    std::vector<int> outputs;  ///< Values.
    std::atomic<KnownState> state{KnownState::new_one};
    std::atomic<KnownBody*> sibling{nullptr};

    /// Given the same.
    bool did_the_same(const KnownBody& other) const;
    size_t bytes() const;
};

/// What is needed to compare or remember a body when it ends.
struct BodyRecording {
    Place* at = nullptr;
    KnownBody* expected = nullptr;  ///< Null: it is a new one.
    size_t changes = 0, nodes = 0;
    int64_t disturbances = 0;
};

}  // namespace catena::capture
