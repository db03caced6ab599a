#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

// Functions whose results are as long as the elements say read them on the host: a static region is
// cut there.

/// The places of elements that are not 0, row by row: an int64 vector for each axis. ShapeError for
/// a scalar.
Variables nonzero(const Operand& x);
/// The places in the flattened x of elements that are not 0.
Variable flatnonzero(const Operand& x);
/// (count, rank): the place of each element that is not 0.
Variable argwhere(const Operand& x);

/// The results of unique(); undefined where they were not asked for.
struct Unique {
    /// The different elements, ascending or in the order of their first occurrence; NaN last, each
    /// of its own.
    Variable values;
    Variable indices;  ///< The place where each value occurs first, int64.
    Variable inverse;  ///< For each element, the index of its value, int64 [elements].
    Variable counts;   ///< The number of occurrences of each value, int64.
};
struct UniqueOptions {
    /// The axis along which slices are compared; none: elements are compared.
    std::optional<int64_t> axis = {};
    bool sorted = true;
};
/// The different elements of the flattened x, or its different slices along an axis.
Variable unique(const Operand& x, const UniqueOptions& options = {});
/// unique, with where the values occur, which of them each element is, and how often.
Unique unique_with_places(const Operand& x, const UniqueOptions& options = {});

/// The largest or smallest elements along an axis, best first, and where they are.
struct TopK {
    /// The elements, and their places along the axis, int32.
    Variable values, indices;
};
/// The k largest elements along an axis, best first, and their places; equal elements in their
/// order. NaN is larger than any number. As PyTorch's topk.
/// - k: How many.
/// - axis: Along which elements are compared.
/// - largest: Whether the largest are meant; else the smallest.
/// - returns: The elements, and their places along the axis, int32.
TopK topk(const Operand& x, int64_t k, int64_t axis = -1, bool largest = true);

}  // namespace catena
