#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena::capture {

class Step;

/// Where eager code would have the elements of an operation's result that may be a view
/// (OpDef::view). It is asked for when the pending array is handed out, so that this says of itself
/// what it will be.
struct ViewLayout {
    const Step* step = nullptr;  ///< The operation,
    Strides from;                ///< and the strides of what it views.
    bool is_view = false;        ///< Else it is a copy, in memory of its own.
    Strides strides;
    int64_t offset = 0;  ///< From the first element of what it views.
    bool contiguous = true;
};

ViewLayout layout_of(const Step& step, const ArrayBody& viewed);

/// An array with elements where those of a pending one are to be. They can be read if the pending
/// array is a view of one from outside.
Array stand_in(const ArrayBody& pending);

/// The elements of an array at one moment, row-major.
struct Snapshot {
    const Storage* storage = nullptr;  ///< Where the array lies.
    int64_t offset = 0;
    Type type;
    Strides strides;
    Array copy;

    bool is_of(const ArrayBody& array) const;
};

}  // namespace catena::capture
