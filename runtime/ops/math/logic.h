#pragma once

#include "runtime/graph/arithmetic.h"
#include "runtime/ops/math/reduction.h"

namespace catena {

// Questions to elements, of any dtype; bool results without gradients. Comparisons and && || ! are
// in runtime/graph/arithmetic.h.

#define CATENA_COMPARISON_FUNCTION(name)                 \
    Variable name(const Operand& x1, const Operand& x2); \
    Variable name(const Operand& x1, const Scalar& x2);  \
    Variable name(const Scalar& x1, const Operand& x2);
CATENA_COMPARISON_FUNCTION(equal)
CATENA_COMPARISON_FUNCTION(not_equal)
CATENA_COMPARISON_FUNCTION(less)
CATENA_COMPARISON_FUNCTION(less_equal)
CATENA_COMPARISON_FUNCTION(greater)
CATENA_COMPARISON_FUNCTION(greater_equal)
#undef CATENA_COMPARISON_FUNCTION

Variable logical_not(const Operand& x);
Variable logical_and(const Operand& x1, const Operand& x2);
Variable logical_or(const Operand& x1, const Operand& x2);
Variable logical_xor(const Operand& x1, const Operand& x2);  ///< One of the two is not 0.

Variable isnan(const Operand& x);
Variable isinf(const Operand& x);     ///< Of either sign.
Variable isfinite(const Operand& x);  ///< Neither NaN nor infinite.
/// |a - b| <= atol + rtol |b|; equal infinities are close, NaN only with equal_nan.
Variable isclose(const Operand& a, const Operand& b, const Scalar& rtol = 1e-5,
                 const Scalar& atol = 1e-8, bool equal_nan = false);

/// True where no element along the axes is 0; of no elements, true.
Variable all(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// True where some element along the axes is not 0; of no elements, false.
Variable any(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);
/// Whether all are close, or equal and of one shape: read on the host, so a static region is cut.
bool allclose(const Operand& a, const Operand& b, const Scalar& rtol = 1e-5,
              const Scalar& atol = 1e-8, bool equal_nan = false);
bool array_equal(const Operand& a, const Operand& b);

/// How many are not 0, int64. NaN is not 0.
Variable count_nonzero(const Operand& x, const ReductionAxes& axis = {}, bool keepdims = false);

}  // namespace catena
