#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <variant>

#include "runtime/graph/op.h"

namespace catena {

struct NewAxis {};
struct Ellipsis {};
inline constexpr NewAxis newaxis;    ///< An axis of size 1.
inline constexpr Ellipsis ellipsis;  ///< All axes without another index.

/// Python's begin:end:step: negative values count from the end, and values outside are clamped.
struct Slice {
    std::optional<int64_t> begin;
    std::optional<int64_t> end;
    int64_t step = 1;
};
inline Slice slice(std::optional<int64_t> begin, std::optional<int64_t> end = {},
                   int64_t step = 1) {
    return {begin, end, step};
}

/// One entry of x[...]: an integer, a slice, newaxis, ellipsis, or an integer (or bool) array. Made
/// by implicit conversion; remembers the line of that.
class Index {
public:
    using Place = std::source_location;
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Index(T index, const Place& at = Place::current()) : Index(at, int64_t(index)) {}
    Index(const Slice& slice, const Place& at = Place::current());
    Index(NewAxis, const Place& at = Place::current());
    Index(Ellipsis, const Place& at = Place::current());
    Index(const Variable& indices, const Place& at = Place::current());
    Index(const Array& indices, const Place& at = Place::current());
    Index(const Index&);
    Index& operator=(const Index&);
    ~Index();
    const auto& value() const { return value_; }
    const Place& location() const { return at_; }

private:
    Index(const Place& at, int64_t index);
    std::variant<int64_t, Slice, NewAxis, Ellipsis, Variable> value_;
    Place at_;
};

// Indices of all these functions are checked: ValueError with the index and the range it must be
// in.

/// NumPy's x[slices], also written x[{slice(1, 5), 2, ellipsis}] or x[2]. Index arrays may be
/// negative; a bool array selects its true elements, so its values are read at once.
Variable get_item(const Operand& x, std::span<const Index> slices);
Variable get_item(const Operand& x, std::initializer_list<Index> slices);
/// a with b added at the slices; repeated indices add up. b has the shape of get_item(a, slices).
Variable scatter_add(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_add(const Operand& a, std::initializer_list<Index> slices, const Operand& b);
/// x at `indices` of one axis, which is replaced by their axes; negative: from the end.
Variable take(const Operand& x, const Operand& indices, int64_t axis = 0);
/// y[i] = x[indices[i]] along the axis; with `inv` the inverse permutation.
Variable permutate(const Operand& x, const Operand& indices, int64_t axis = 0, bool inv = false);
/// The rows of W with indices x; zeros where x is ignore_label.
Variable embed_id(const Operand& x, const Operand& W, std::optional<int64_t> ignore_label = {});
/// y[i] = x[i, t[i]].
Variable select_item(const Operand& x, const Operand& t);
/// x[..., indices, ...] along the axis: indices has x's rank, and x's sizes but for that axis.
Variable take_along_axis(const Operand& x, const Operand& indices, int64_t axis);
/// A new last axis of `classes` zeros with 1 at x.
Variable one_hot(const Operand& x, int64_t classes, Dtype dtype = Dtype::float32);

/// Ascending; equal elements keep their order and NaN come last.
Variable sort(const Operand& x, int64_t axis = -1);
Variable argsort(const Operand& x, int64_t axis = -1);  ///< int32 indices of sort(x) in x.

}  // namespace catena
