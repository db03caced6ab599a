#pragma once

#include "runtime/core/shape.h"

namespace catena {

struct ArrayBody;

/// Who will give an array its elements: a static region whose code runs now. Until then the array has a type and a device,
/// and this is asked when somebody wants more.
class Pending {
public:
    /// Gives `array` its elements, now. Throws what computing them throws.
    virtual void force(ArrayBody& array) = 0;
    /// Another look at `array`, pending like it; null when the elements must be there first.
    virtual ArrayBody* look(ArrayBody& array, const Shape& shape, const Strides& strides, int64_t offset) = 0;

protected:
    ~Pending() = default;
};

}  // namespace catena
