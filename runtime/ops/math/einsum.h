#pragma once

#include <string>

#include "runtime/graph/op.h"

namespace catena {

// Sums of products over named axes, computed as matrix products from left to right.

/// NumPy's einsum: "ij,jk->ik". Integers and bools are taken as floats (config().dtype). A letter
/// that a term repeats is its diagonal; "..." stands for further axes, which broadcast; without
/// "->" the result has the letters that occur once, in order. ValueError for a wrong equation.
Variable einsum(const std::string& subscripts, std::span<const Variable> operands,
                const std::source_location& at = std::source_location::current());
Variable einsum(const std::string& subscripts, std::initializer_list<Variable> operands,
                const std::source_location& at = std::source_location::current());
Variable einsum(const std::string& subscripts, const Operand& a, const Operand& b);

/// Products summed over the last `axes` axes of a and the first of b.
Variable tensordot(const Operand& a, const Operand& b, int64_t axes = 2);
/// Over these axes of a and, one by one, of b; the result has the other axes of a, then those of b.
Variable tensordot(const Operand& a, const Operand& b, const Axes& a_axes, const Axes& b_axes);

}  // namespace catena
