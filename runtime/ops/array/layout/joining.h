#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "runtime/graph/op/op.h"

namespace catena {

// Joining and splitting arrays along an axis.

/// Arrays joined along an axis. All other sizes must be equal (ShapeError). Dtypes that differ are
/// promoted, as by arithmetic.
/// - xs: At least one array.
/// - axis: Along which they are joined.
Variable concat(std::span<const Variable> xs, int64_t axis = 1,
                const std::source_location& at = std::source_location::current());
Variable concat(std::initializer_list<Variable> xs, int64_t axis = 1,
                const std::source_location& at = std::source_location::current());
/// Arrays of one shape joined along a new axis. ShapeError where shapes differ; dtypes that differ
/// are promoted.
/// - xs: At least one array.
/// - axis: The place of the new axis.
Variable stack(std::span<const Variable> xs, int64_t axis = 0,
               const std::source_location& at = std::source_location::current());
Variable stack(std::initializer_list<Variable> xs, int64_t axis = 0,
               const std::source_location& at = std::source_location::current());
/// Arrays joined along axis 1, or axis 0 of vectors, as NumPy's hstack.
/// - xs: At least one array.
Variable hstack(std::span<const Variable> xs,
                const std::source_location& at = std::source_location::current());
Variable hstack(std::initializer_list<Variable> xs,
                const std::source_location& at = std::source_location::current());
/// Arrays joined along axis 0, where vectors are rows, as NumPy's vstack.
/// - xs: At least one array.
Variable vstack(std::span<const Variable> xs,
                const std::source_location& at = std::source_location::current());
Variable vstack(std::initializer_list<Variable> xs,
                const std::source_location& at = std::source_location::current());
/// Arrays joined along axis 2, where vectors (n) are (1, n, 1) and matrices (m, n) are (m, n, 1),
/// as NumPy's dstack.
/// - xs: At least one array.
Variable dstack(std::span<const Variable> xs,
                const std::source_location& at = std::source_location::current());
Variable dstack(std::initializer_list<Variable> xs,
                const std::source_location& at = std::source_location::current());

/// An array in parts along an axis. ShapeError where its size cannot be divided into equal parts.
/// Chainer's function.
/// - indices_or_sections: A number of equal parts, or the places where all parts but the first
///   begin.
/// - axis: Along which it is split.
/// - force_tuple: Whether one part alone is given as a tuple of one, too.
Variables split_axis(const Operand& x, int64_t sections, int64_t axis);
Variables split_axis(const Operand& x, std::span<const int64_t> cuts, int64_t axis);
Variables split_axis(const Operand& x, std::initializer_list<int64_t> cuts, int64_t axis);
/// The items along an axis, which they lack: the inverse of stack. Chainer's function.
/// - axis: Along which it is separated.
Variables separate(const Operand& x, int64_t axis = 0);

}  // namespace catena
