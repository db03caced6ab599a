#pragma once

#include <cstdint>
#include <vector>

#include "frontend/capture/follow/memo.h"
#include "frontend/capture/path/path.h"
#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/op/attributes.h"
#include "runtime/graph/op/op.h"

namespace catena::capture {

/// The steps that the body of a composite took at one place of a region's code, to be taken again
/// without calling the body. This is allowed because eager code runs the composite's own kernel, so
/// the body depends on its inputs alone. A composite without a kernel always runs its body, which
/// may be the user's code.
struct KnownBody : Remembered {
    static constexpr Kind kind = Kind::body;

    struct Input {
        int value = -1;
        /// The description of an input from outside, if one of the body's steps is the first to
        /// read it; else null.
        const Step::Input* from_outside = nullptr;
        /// The index of an earlier input that is the same array from outside; -1: none.
        int same_as = -1;
        friend bool operator==(const Input&, const Input&) = default;
    };

    const OpDef* op = nullptr;
    Attributes attributes;
    uint64_t settings = 0;           ///< The settings under which the body ran: config_key().
    const Device* device = nullptr;  ///< The thread's current device while the body ran.
    int first_scalar = 0;
    SmallVector<uint64_t, 2> numbers;  ///< The bits of the composite's scalars.
    std::vector<Input> inputs;
    std::vector<int> outputs;  ///< The composite's outputs, as values of the segment.

    /// Whether `other`, which was given the same inputs, took the same steps.
    bool did_the_same(const KnownBody& other) const;
    size_t bytes() const override;
};

}  // namespace catena::capture
