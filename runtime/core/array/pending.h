#pragma once

#include "runtime/core/array/shape.h"

namespace catena {

class Array;
struct ArrayBody;

/// Computes the elements of pending arrays: a static region whose code is running. Until then such
/// an array has a type, a device and the memory that eager code would have given it (strides,
/// offset, and with which arrays it shares its storage), but no elements; reading these calls
/// force().
class Pending {
public:
    /// Computes the elements of `array` now. Throws the errors of that computation.
    virtual void force(ArrayBody& array) = 0;
    /// A pending view of `array`; null when its elements are needed first.
    virtual ArrayBody* look(ArrayBody& array, const Shape& shape, const Strides& strides,
                            int64_t offset) = 0;
    /// A pending row-major copy of `array`; undefined when its elements are needed first.
    virtual Array row_major(ArrayBody& array) = 0;

protected:
    ~Pending() = default;
};

}  // namespace catena
