#pragma once

#include "runtime/core/shape.h"

namespace catena {

struct ArrayBody;

/// Computes the elements of pending arrays: a static region whose code is running. Until then such
/// an array has only a type and a device; reading its elements calls force().
class Pending {
public:
    /// Computes the elements of `array` now. Throws the errors of that computation.
    virtual void force(ArrayBody& array) = 0;
    /// A pending view of `array`; null when its elements are needed first.
    virtual ArrayBody* look(ArrayBody& array, const Shape& shape, const Strides& strides,
                            int64_t offset) = 0;

protected:
    ~Pending() = default;
};

}  // namespace catena
