#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

// Sums of products over named axes, computed as matrix products from left to right.

/// Sums of products over named axes, as NumPy's einsum: "ij,jk->ik" is a matrix product. A letter
/// that a term repeats is its diagonal; "..." stands for further axes, which broadcast; without
/// "->" the result has the letters that occur once, in order. Integers and bools are taken as
/// floats. ValueError for a wrong equation.
/// - subscripts: The equation.
/// - operands: An array for each of its terms.
Variable einsum(const std::string& subscripts, std::span<const Variable> operands,
                const std::source_location& at = std::source_location::current());
Variable einsum(const std::string& subscripts, std::initializer_list<Variable> operands,
                const std::source_location& at = std::source_location::current());
Variable einsum(const std::string& subscripts, const Operand& a, const Operand& b);

/// Products summed over axes of both arrays, as NumPy's tensordot: the result has the other axes of
/// a, then those of b. Floats only; ShapeError where sizes differ.
/// - axes: How many: the last ones of a and the first ones of b; or two lists, the axes of a and,
///   one by one, of b.
Variable tensordot(const Operand& a, const Operand& b, int64_t axes = 2);
Variable tensordot(const Operand& a, const Operand& b, const Axes& a_axes, const Axes& b_axes);

}  // namespace catena
