#pragma once

#include <initializer_list>
#include <span>

#include "runtime/ops/array/indexing/indexing.h"

namespace catena {

// As scatter_add, with another reduction: a with its element at each place of the slices and all
// elements of b that go there made one. b has the shape of get_item(a, slices) and a's dtype.

/// a with the largest of its element and all elements of b that go there at each place of the
/// slices; NaN propagates. Of equal ones each has an equal share of the gradient.
/// - slices: As of get_item.
/// - b: Of the shape of get_item(a, slices), and a's dtype.
Variable scatter_maximum(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_maximum(const Operand& a, std::initializer_list<Index> slices, const Operand& b);
/// a with the smallest of its element and all elements of b that go there at each place of the
/// slices; NaN propagates. Of equal ones each has an equal share of the gradient.
/// - slices: As of get_item.
/// - b: Of the shape of get_item(a, slices), and a's dtype.
Variable scatter_minimum(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_minimum(const Operand& a, std::initializer_list<Index> slices, const Operand& b);
/// a with the product of its element and all elements of b that go there at each place of the
/// slices.
/// - slices: As of get_item.
/// - b: Of the shape of get_item(a, slices), and a's dtype.
Variable scatter_multiply(const Operand& a, std::span<const Index> slices, const Operand& b);
Variable scatter_multiply(const Operand& a, std::initializer_list<Index> slices, const Operand& b);

}  // namespace catena
