#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "runtime/graph/op.h"

namespace catena {

// Joining and splitting arrays along an axis.

/// Joins along `axis`; dtypes and all other sizes must be equal.
Variable concat(std::span<const Variable> xs, int64_t axis = 1,
                const std::source_location& at = std::source_location::current());
Variable concat(std::initializer_list<Variable> xs, int64_t axis = 1,
                const std::source_location& at = std::source_location::current());
/// Joins equally shaped arrays along a new axis.
Variable stack(std::span<const Variable> xs, int64_t axis = 0,
               const std::source_location& at = std::source_location::current());
Variable stack(std::initializer_list<Variable> xs, int64_t axis = 0,
               const std::source_location& at = std::source_location::current());
/// Along axis 1, or axis 0 of vectors.
Variable hstack(std::span<const Variable> xs,
                const std::source_location& at = std::source_location::current());
Variable hstack(std::initializer_list<Variable> xs,
                const std::source_location& at = std::source_location::current());
/// Along axis 0; vectors are rows.
Variable vstack(std::span<const Variable> xs,
                const std::source_location& at = std::source_location::current());
Variable vstack(std::initializer_list<Variable> xs,
                const std::source_location& at = std::source_location::current());
/// Along axis 2; vectors are [1,n,1] and matrices [m,n,1].
Variable dstack(std::span<const Variable> xs,
                const std::source_location& at = std::source_location::current());
Variable dstack(std::initializer_list<Variable> xs,
                const std::source_location& at = std::source_location::current());

/// Equal parts; ShapeError when the size is not divisible.
Variables split_axis(const Operand& x, int64_t sections, int64_t axis);
/// Parts [0, cuts[0]), [cuts[0], cuts[1]), ..., the rest; a part may be empty.
Variables split_axis(const Operand& x, std::span<const int64_t> cuts, int64_t axis);
/// The items along an axis, which is dropped; inverse of stack.
Variables separate(const Operand& x, int64_t axis = 0);

}  // namespace catena
