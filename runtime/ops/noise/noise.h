#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

namespace functions {  // An object keeps its defaults where it is passed on, see activation.h.

struct Dropout {
    Variable operator()(const Operand& x, const Scalar& ratio = 0.5) const;
    /// dropout with a given mask of factors, as dropout_with_mask returns it.
    Variable operator()(const Operand& x, const Scalar& ratio, const Operand& mask) const;
};

}  // namespace functions

/// (x, ratio = 0.5): In training mode each element is 0 with the probability `ratio`, and else
/// divided by 1 - ratio; in test mode x (Srivastava et al. 2014, "Dropout"). Floats only;
/// ValueError unless 0 <= ratio < 1.
/// - ratio: The probability of 0.
/// - mask: Factors of x's shape, in place of drawn ones, in training mode.
/// - return_mask: Whether the factors are returned, too.
/// - returns: The result; with return_mask also the factors, or None in test mode.
inline constexpr functions::Dropout dropout;
struct MaskedResult {
    /// The result, and the factors; mask is undefined in test mode.
    Variable y, mask;
};
/// dropout, and the factors that it drew, which are undefined in test mode.
MaskedResult dropout_with_mask(const Operand& x, const Scalar& ratio = 0.5);

/// mean + eps * exp(ln_var / 2), with eps from the standard normal distribution, in training and
/// test mode: a draw from a normal distribution that gradients flow through (Kingma and Welling
/// 2013, "Auto-Encoding Variational Bayes"). Arrays of one shape (ShapeError).
/// - mean: The means.
/// - ln_var: The logarithms of the variances.
/// - return_eps: Whether eps is returned, too.
/// - returns: The result; with return_eps also eps.
Variable gaussian(const Operand& mean, const Operand& ln_var);
/// - eps: Used in place of drawn numbers.
Variable gaussian(const Operand& mean, const Operand& ln_var, const Operand& eps);

}  // namespace catena
