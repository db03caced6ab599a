#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena {

/// Whether a walk over the array in row-major order would stride through its memory although
/// another order would not: a transposed array, or images with their channels last. False for an
/// array that has repeated elements, or few.
inline bool lies_across(const Array& array) {
    constexpr int64_t few = 4096;
    if (array.contiguous() || array.size() < few) return false;
    bool has_dense_axis = false;
    int64_t innermost = 1;
    for (int axis = 0; axis < array.rank(); ++axis) {
        if (array.dim(axis) == 1) continue;
        innermost = array.strides()[axis];
        if (innermost == 0) return false;
        has_dense_axis = has_dense_axis || innermost == 1;
    }
    return has_dense_axis && innermost != 1;
}

}  // namespace catena
