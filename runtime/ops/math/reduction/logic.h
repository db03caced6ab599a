#pragma once

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {

// Questions to elements, of any dtype; bool results without gradients. Comparisons and && || ! are
// in runtime/graph/op/arithmetic.h.

#define CATENA_COMPARISON_FUNCTION(name)                 \
    Variable name(const Operand& x1, const Operand& x2); \
    Variable name(const Operand& x1, const Scalar& x2);  \
    Variable name(const Scalar& x1, const Operand& x2);
/// Whether two elements are equal: bool; NaN equals nothing. Shapes broadcast, and dtypes are
/// promoted first. No gradient.
CATENA_COMPARISON_FUNCTION(equal)
/// Whether two elements differ: bool; NaN differs from all. Shapes broadcast, and dtypes are
/// promoted first. No gradient.
CATENA_COMPARISON_FUNCTION(not_equal)
/// Whether x1 < x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are promoted
/// first. No gradient.
CATENA_COMPARISON_FUNCTION(less)
/// Whether x1 <= x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are promoted
/// first. No gradient.
CATENA_COMPARISON_FUNCTION(less_equal)
/// Whether x1 > x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are promoted
/// first. No gradient.
CATENA_COMPARISON_FUNCTION(greater)
/// Whether x1 >= x2, elementwise: bool; false beside NaN. Shapes broadcast, and dtypes are promoted
/// first. No gradient.
CATENA_COMPARISON_FUNCTION(greater_equal)
#undef CATENA_COMPARISON_FUNCTION

/// Whether x is 0, elementwise: bool, of any dtype. No gradient.
Variable logical_not(const Operand& x);
/// Whether both are not 0, elementwise: bool, of any dtypes; shapes broadcast. No gradient.
Variable logical_and(const Operand& x1, const Operand& x2);
/// Whether one or both are not 0, elementwise: bool, of any dtypes; shapes broadcast. No gradient.
Variable logical_or(const Operand& x1, const Operand& x2);
/// Whether exactly one of the two is not 0, elementwise: bool, of any dtypes; shapes broadcast. No
/// gradient.
Variable logical_xor(const Operand& x1, const Operand& x2);

/// Whether x is NaN, elementwise: bool. No gradient.
Variable isnan(const Operand& x);
/// Whether x is infinite, of either sign, elementwise: bool. No gradient.
Variable isinf(const Operand& x);
/// Whether x is neither NaN nor infinite, elementwise: bool. No gradient.
Variable isfinite(const Operand& x);
/// Whether |a - b| <= atol + rtol * |b|, elementwise: bool. Equal infinities are close. Shapes
/// broadcast. No gradient.
/// - rtol: Tolerance relative to |b|.
/// - atol: Absolute tolerance.
/// - equal_nan: Whether NaN is close to NaN (in floats).
Variable isclose(const Operand& a, const Operand& b, const Scalar& rtol = 1e-5,
                 const Scalar& atol = 1e-8, bool equal_nan = false);

/// Whether no element along the axes is 0: bool; of no elements, true. No gradient.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable all(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// Whether some element along the axes is not 0: bool; of no elements, false. No gradient.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable any(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// Whether all elements are close, as isclose says: read on the host, so a static region is cut.
bool allclose(const Operand& a, const Operand& b, const Scalar& rtol = 1e-5,
              const Scalar& atol = 1e-8, bool equal_nan = false);
/// Whether the shapes and all elements are equal: read on the host, so a static region is cut.
bool array_equal(const Operand& a, const Operand& b);

/// How many elements along the axes are not 0: int64. NaN is not 0. No gradient.
/// - axis: One or several; all if not given.
/// - keepdims: Keep the axes, with size 1.
Variable count_nonzero(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);

}  // namespace catena
