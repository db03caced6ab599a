#pragma once

#include "runtime/graph/op.h"

namespace catena {

// Functions whose results are as long as the elements say read them on the host: a static region is
// cut there.

/// The places of elements that are not 0, row by row: an int64 vector for each axis. ShapeError for
/// a scalar.
Variables nonzero(const Operand& x);
Variable flatnonzero(const Operand& x);  ///< Their places in the flattened x.
Variable argwhere(const Operand& x);     ///< [count, rank]: a row for each place.

/// What unique() found; undefined where it was not asked for.
struct Unique {
    Variable values;   ///< Ascending, or in the order of their first occurrence; NaN last, each of
                       ///< its own.
    Variable indices;  ///< int64: where each occurs first.
    Variable inverse;  ///< int64 [elements]: which of the values each element is.
    Variable counts;   ///< int64: how often each occurs.
};
struct UniqueOptions {
    std::optional<int64_t> axis = {};  ///< Compare the slices along it; none: elements.
    bool sorted = true;
};
/// The different elements of the flattened x, or its different slices along an axis.
Variable unique(const Operand& x, const UniqueOptions& options = {});
Unique unique_with_places(const Operand& x, const UniqueOptions& options = {});

/// The k largest elements along the axis (the smallest with largest = false), best first, and their
/// int32 places; equal elements in their order. NaN is larger than any number.
struct TopK {
    Variable values, indices;
};
TopK topk(const Operand& x, int64_t k, int64_t axis = -1, bool largest = true);

}  // namespace catena
