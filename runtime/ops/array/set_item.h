#pragma once

#include "runtime/ops/array/indexing/indexing.h"

namespace catena {

/// x with the elements at the slices replaced by `value`, which broadcasts to their shape and is
/// cast to x's dtype (a float into integers is a DtypeError): NumPy's `x[slices] = value` as a new
/// array. Differentiable towards both. ValueError where index arrays name an element twice and
/// different elements of `value` go there, which is looked up on the host unless `value` has one.
Variable set_item(const Operand& x, std::span<const Index> slices, const Operand& value);
Variable set_item(const Operand& x, std::initializer_list<Index> slices, const Operand& value);
Variable set_item(const Operand& x, std::initializer_list<Index> slices, const Scalar& value);

/// Rebinds `to` to an array with its elements replaced by those of `from` where `where` is not 0;
/// everywhere without it. `from` broadcasts, and must be of to's dtype (DtypeError), as NumPy's
/// copyto with casting="no". It may lie on another device.
void copyto(Array& to, const Operand& from, const Operand& where);
void copyto(Array& to, const Operand& from);

}  // namespace catena
