#pragma once

#include "runtime/graph/op.h"

namespace catena {

namespace functions {  // An object keeps its defaults where it is passed on, see activation.h.

struct Dropout {
    Variable operator()(const Operand& x, const Scalar& ratio = 0.5) const;
    /// With a mask of factors as dropout_with_mask gives it.
    Variable operator()(const Operand& x, const Scalar& ratio, const Operand& mask) const;
};

}  // namespace functions

/// (x, ratio = 0.5): in training mode each element is 0 with probability `ratio` and divided by 1 -
/// ratio otherwise; else x. (x, ratio, mask): with that mask.
inline constexpr functions::Dropout dropout;
struct MaskedResult {
    Variable y, mask;  ///< The mask is undefined outside training mode.
};
MaskedResult dropout_with_mask(const Operand& x, const Scalar& ratio = 0.5);

/// mean + eps * exp(ln_var / 2) with eps drawn from the standard normal distribution, in any mode.
Variable gaussian(const Operand& mean, const Operand& ln_var);
/// The same with this eps.
Variable gaussian(const Operand& mean, const Operand& ln_var, const Operand& eps);

}  // namespace catena
