#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <variant>

#include "runtime/graph/op/op.h"

namespace catena {

/// The type of `newaxis`.
struct NewAxis {};
/// The type of `ellipsis`.
struct Ellipsis {};
/// An index that inserts an axis of size 1.
inline constexpr NewAxis newaxis;
/// An index that stands for all axes without another index.
inline constexpr Ellipsis ellipsis;

/// A range of indices, Python's begin:end:step: negative values count from the end, and values
/// outside are clamped.
struct Slice {
    /// The first index; none: the beginning, or the end where step is negative.
    std::optional<int64_t> begin;
    /// The index behind the last one; none: the end, or the beginning where step is negative.
    std::optional<int64_t> end;
    /// The distance of neighbours; not 0.
    int64_t step = 1;
};
/// The elements begin, begin + step, ... before end of an axis, as an index.
inline Slice slice(std::optional<int64_t> begin, std::optional<int64_t> end = {},
                   int64_t step = 1) {
    return {begin, end, step};
}

/// One entry of x[...]: an integer, a slice, newaxis, ellipsis, or an integer (or bool) array. Made
/// by implicit conversion; remembers the line of that.
class Index {
public:
    /// The line of the user's program, for messages.
    using Place = std::source_location;
    /// One index, which removes its axis.
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Index(T index, const Place& at = Place::current()) : Index(at, int64_t(index)) {}
    /// A range of indices.
    Index(const Slice& slice, const Place& at = Place::current());
    /// A new axis of size 1.
    Index(NewAxis, const Place& at = Place::current());
    /// All axes without another index.
    Index(Ellipsis, const Place& at = Place::current());
    /// An array of integers, whose axes replace the indexed one, or of bools.
    Index(const Variable& indices, const Place& at = Place::current());
    /// An array of integers, whose axes replace the indexed one, or of bools.
    Index(const Array& indices, const Place& at = Place::current());
    Index(const Index&);
    Index& operator=(const Index&);
    ~Index();
    /// The index as one of the kinds: int64_t, Slice, NewAxis, Ellipsis, Variable.
    const auto& value() const { return value_; }
    /// The line where it was written.
    const Place& location() const { return at_; }

private:
    Index(const Place& at, int64_t index);
    std::variant<int64_t, Slice, NewAxis, Ellipsis, Variable> value_;
    Place at_;
};

// Indices of all these functions are checked: ValueError with the index and the range it must be
// in.

/// The elements that x[slices] has in NumPy: integers, slices, new axes, ellipses, and arrays of
/// integers or bools, which may be negative. A bool array selects its true elements, so its values
/// are read at once. ValueError for an index outside of its axis.
///
/// By name, slices is a list of integers, slices in text ("2:5", "::-1", "..."), None for a new
/// axis, and lists for arrays; in Python, what x[...] takes: there a list is an array.
/// - slices: One entry for each axis, or fewer.
Variable get_item(const Operand& x, std::span<const Index> slices);
Variable get_item(const Operand& x, std::initializer_list<Index> slices);
/// a with b added at the slices; repeated indices add up. Arrays of one dtype (DtypeError).
/// ValueError for an index outside of its axis. Chainer's function.
/// - slices: As of get_item.
/// - b: Of the shape of get_item(a, slices).
Variable scatter_add(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_add(const Operand& a, std::initializer_list<Index> slices, const Operand& b);
/// x at indices along an axis, which is replaced by the axes of the indices, as NumPy's take.
/// ValueError for an index outside of the axis.
/// - indices: Integers of any shape; negative ones count from the end.
/// - axis: Along which elements are taken; called by name, of x in one row if not given.
Variable take(const Operand& x, const Operand& indices, int64_t axis = 0);
/// x with the order along an axis changed: item i is item indices[i] of x, or the other way round
/// with `inv`. Chainer's function.
/// - indices: Integers, a permutation of 0 to the axis's size less one. In debug mode ValueError
///   for others.
/// - axis: Along which items are moved.
/// - inv: Whether the inverse permutation is applied.
Variable permutate(const Operand& x, const Operand& indices, int64_t axis = 0, bool inv = false);
/// Rows of W by their numbers, a table of word vectors: (..., D). Gradients flow to W. Chainer's
/// function. ValueError for a number that has no row.
/// - x: Integers, of any shape.
/// - W: (V, D).
/// - ignore_label: A number that gives zeros; none if not given.
Variable embed_id(const Operand& x, const Operand& W, std::optional<int64_t> ignore_label = {});
/// One element of each row: (N), x[i, t[i]] for each i. Chainer's function.
/// - x: (N, K).
/// - t: Integers from 0 to K - 1, (N).
Variable select_item(const Operand& x, const Operand& t);
/// Elements of x whose places along an axis are named for each place: for axis 1 of three, result
/// (i, j, k) is x[i, indices[i, j, k], k]. NumPy's function.
/// - indices: Integers of x's sizes but for the axis; negative ones count from the end.
/// - axis: Along which elements are taken.
Variable take_along_axis(const Operand& x, const Operand& indices, int64_t axis);
/// A new last axis of zeros with 1 at the place that x names: (..., classes). No gradient.
/// ValueError for others than 0 to classes - 1.
/// - x: Integers, of any shape.
/// - classes: Size of the new axis.
/// - dtype: That of the result.
Variable one_hot(const Operand& x, int64_t classes, Dtype dtype = Dtype::float32);

/// x in ascending order along an axis; equal elements keep their order and NaN come last.
/// Differentiable.
/// - axis: Along which elements are ordered; without one, all elements, in a vector.
Variable sort(const Operand& x, std::optional<int64_t> axis = -1);
/// The indices that put x in ascending order along an axis, int32; equal elements keep their order
/// and NaN come last. No gradient.
/// - axis: Along which elements are ordered; without one, all elements, by their places in the
///   flattened x.
Variable argsort(const Operand& x, std::optional<int64_t> axis = -1);

}  // namespace catena
