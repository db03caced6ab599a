#pragma once

#include <initializer_list>
#include <span>

#include "runtime/ops/array/indexing.h"

namespace catena {

// As scatter_add, with another reduction: a with its element at each place of the slices and all
// elements of b that go there made one. b has the shape of get_item(a, slices) and a's dtype.

/// The largest; NaN propagates. Of equal ones each has an equal share of the gradient.
Variable scatter_maximum(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_maximum(const Operand& a, std::initializer_list<Index> slices, const Operand& b);
/// The smallest, as scatter_maximum.
Variable scatter_minimum(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_minimum(const Operand& a, std::initializer_list<Index> slices, const Operand& b);
/// Their product.
Variable scatter_multiply(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_multiply(const Operand& a, std::initializer_list<Index> slices, const Operand& b);

}  // namespace catena
