#pragma once

#include <initializer_list>
#include <optional>

#include "runtime/graph/op/op.h"

namespace catena {

// NumPy's and ChainerX's further names and forms for moving elements; the basic ones are in
// movement.h, joining.h, slicing.h and indexing.h.

/// The elements in one axis, row-major: NumPy's name of flatten.
Variable ravel(const Operand& x);
/// x, or a number as an array (1).
Variable atleast_1d(const Operand& x);
/// x with axes of size 1 in front until it has two.
Variable atleast_2d(const Operand& x);
/// x with axes of size 1 until it has three: (1, n, 1) of a vector and (m, n, 1) of a matrix, as
/// NumPy.
Variable atleast_3d(const Operand& x);

/// Reverses the order along these axes; without axes, along all.
Variable flip(const Operand& x, const Axes& axes = {});
/// Elements moved along an axis, what leaves at the end coming in at the beginning, as NumPy's
/// roll.
/// - shift: By how many places; towards the beginning where negative.
/// - axis: Along which elements are moved; if not given, in the flattened array.
Variable roll(const Operand& x, int64_t shift, std::optional<int64_t> axis = {});
/// In C++: the elements of the flattened x, each repeated.
Variable repeat(const Operand& x, int64_t repeats);

/// Arrays joined along an axis, as NumPy's concatenate. All other sizes must be equal (ShapeError);
/// dtypes that differ are promoted.
/// - xs: At least one array.
/// - axis: Along which they are joined; by None (C++: nullopt) the flattened arrays.
Variable concatenate(std::span<const Variable> xs, std::optional<int64_t> axis = 0,
                     const std::source_location& at = std::source_location::current());
Variable concatenate(std::initializer_list<Variable> xs, std::optional<int64_t> axis = 0,
                     const std::source_location& at = std::source_location::current());

/// Vectors as the columns of a matrix, beside matrices, as NumPy's column_stack.
/// - xs: At least one array, of one or two axes.
Variable column_stack(std::span<const Variable> xs,
                      const std::source_location& at = std::source_location::current());
Variable column_stack(std::initializer_list<Variable> xs,
                      const std::source_location& at = std::source_location::current());
/// x and behind it values, as NumPy's append: a new array.
/// - axis: Along which they are joined; if not given, the flattened arrays.
Variable append(const Operand& x, const Operand& values, std::optional<int64_t> axis = {});
/// x with values between its elements, as NumPy's insert: a new array. The values are cast to x's
/// dtype (DtypeError of floats into integers) and broadcast. ValueError for a place outside of the
/// axis.
/// - index: The place before which they stand, 0 to the axis's size; negative ones count from it.
/// - values: The elements to insert.
/// - axis: Along which they are inserted; if not given, the flattened x.
Variable insert(const Operand& x, int64_t index, const Operand& values,
                std::optional<int64_t> axis = {});
Variable insert(const Operand& x, int64_t index, const Scalar& value,
                std::optional<int64_t> axis = {});
/// x turned by 90 degrees in the plane of two axes, from the first of them to the second, as
/// NumPy's rot90. ShapeError where there are no two such axes.
/// - k: How often it is turned; the other way where negative.
/// - axes: Two different axes.
Variable rot90(const Operand& x, int64_t k = 1, const Axes& axes = {0, 1});

/// An array in parts along an axis, as NumPy's split. ShapeError where its size cannot be divided
/// into equal parts.
/// - indices_or_sections: A number of equal parts, or the places where all parts but the first
///   begin.
/// - axis: Along which it is split.
Variables split(const Operand& x, int64_t sections, int64_t axis = 0);
Variables split(const Operand& x, const std::vector<int64_t>& places, int64_t axis = 0);
Variables split(const Operand& x, std::initializer_list<int64_t> places, int64_t axis = 0);
/// As split, but of any size: the first parts are larger by 1 where it cannot be divided.
/// - indices_or_sections: A number of parts, or the places where all parts but the first begin.
/// - axis: Along which it is split.
Variables array_split(const Operand& x, int64_t sections, int64_t axis = 0);
Variables array_split(const Operand& x, const std::vector<int64_t>& places, int64_t axis = 0);
Variables array_split(const Operand& x, std::initializer_list<int64_t> places, int64_t axis = 0);
/// An array of two axes or more in parts along axis 0. ShapeError where its size cannot be divided.
/// - indices_or_sections: A number of equal parts, or the places where all parts but the first
///   begin.
Variables vsplit(const Operand& x, int64_t sections);
Variables vsplit(const Operand& x, const std::vector<int64_t>& places);
Variables vsplit(const Operand& x, std::initializer_list<int64_t> places);
/// An array in parts along axis 1, of a vector along axis 0. ShapeError where its size cannot be
/// divided.
/// - indices_or_sections: A number of equal parts, or the places where all parts but the first
///   begin.
Variables hsplit(const Operand& x, int64_t sections);
Variables hsplit(const Operand& x, const std::vector<int64_t>& places);
Variables hsplit(const Operand& x, std::initializer_list<int64_t> places);
/// An array of three axes or more in parts along axis 2. ShapeError where its size cannot be
/// divided.
/// - indices_or_sections: A number of equal parts, or the places where all parts but the first
///   begin.
Variables dsplit(const Operand& x, int64_t sections);
Variables dsplit(const Operand& x, const std::vector<int64_t>& places);
Variables dsplit(const Operand& x, std::initializer_list<int64_t> places);

/// How take() treats an index outside the axis: an error, modulo its size, or the nearest end.
enum class TakeMode { raise, wrap, clip };
/// In C++: x at indices along an axis, with a mode for indices outside of it.
Variable take(const Operand& x, const Operand& indices, int64_t axis, TakeMode mode);
/// x at indices of the flattened array.
Variable take_flat(const Operand& x, const Operand& indices, TakeMode mode = TakeMode::raise);

/// x[i + 1] - x[i] along the axis, n times.
Variable diff(const Operand& x, int64_t n = 1, int64_t axis = -1);

/// In C++: a choice between two numbers; the result is of their default dtype (bool, int32, or
/// config().dtype).
Variable where(const Operand& condition, const Scalar& x, const Scalar& y);
/// The first argument with the sign of the second, elementwise, which -0 has, too. Its gradient is
/// that of |x1| times the sign; none flows to x2. NumPy's function.
Variable copysign(const Operand& x, const Operand& sign);
/// A new array of x's elements. Differentiable.
Variable copy(const Operand& x);

}  // namespace catena
