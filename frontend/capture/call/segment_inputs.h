#pragma once

#include "frontend/capture/path/pointer_table.h"
#include "runtime/core/array/array.h"

namespace catena::capture {

/// Which arrays from outside are inputs of a segment, and of which number.
class SegmentInputs {
public:
    void clear() { numbers_.clear(); }
    void add(const ArrayBody& array, int v) { numbers_.insert(&array, v); }
    /// The value that `array` is; -1: it is no input.
    int number_of(const ArrayBody& array) {
        const int* known = numbers_.find(&array);
        return known ? *known : -1;
    }

    /// Before is_new(), for each step or body that is compared.
    void begin_comparing() { compared_.clear(); }
    /// Whether `array` may be input `v` of the step or body that is compared, which reads it first:
    /// it is no input of the segment yet. Which inputs are one and the same array is part of a
    /// path, so that what was recorded by an array's number means this input in every call that
    /// takes the path.
    bool is_new(const ArrayBody& array, int v) {
        return !numbers_.find(&array) && compared_.insert(&array, v) == v;
    }

private:
    PointerTable numbers_;   ///< Numbers of inputs by their arrays.
    PointerTable compared_;  ///< The same of the step or body that is compared.
};

}  // namespace catena::capture
