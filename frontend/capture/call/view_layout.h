#pragma once

#include <cstdint>

#include "runtime/core/array/array.h"

namespace catena::capture {

class Step;

/// The memory layout that eager code would give to an operation's result that may be a view
/// (OpDef::view). It is computed when the pending array is handed out, so that the array reports
/// its final strides at once.
struct ViewLayout {
    const Step* step = nullptr;  ///< The operation.
    Strides from;                ///< The strides of the array that it views.
    bool is_view = false;        ///< True for a view; false: a copy, in memory of its own.
    Strides strides;
    /// Distance from the first element of the array that it views, in elements.
    int64_t offset = 0;
    bool contiguous = true;
};

ViewLayout layout_of(const Step& step, const ArrayBody& viewed);

/// An array that is not pending, in the place where the elements of a pending one will be. Its
/// elements can be read only if the pending array is a view of an array from outside.
Array stand_in(const ArrayBody& pending);

/// Whether the array begins its storage. Only then may a program give the memory of this input to
/// one of its results, if nobody else refers to it.
bool begins_its_storage(const Array& array);

/// The elements of an array at one moment, row-major.
struct Snapshot {
    const Storage* storage = nullptr;  ///< The storage in which the array lies.
    int64_t offset = 0;
    Type type;
    Strides strides;
    Array copy;

    bool is_of(const ArrayBody& array) const;
};

}  // namespace catena::capture
