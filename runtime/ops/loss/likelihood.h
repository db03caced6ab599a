#pragma once

#include <string>

#include "runtime/graph/op.h"

namespace catena {

// Losses of variational auto-encoders (Kingma and Welling 2013). Arrays broadcast. reduce is "sum",
// "mean" or "no": one loss per element.

/// softplus(y) - x * y, the negative log likelihood of x, 0 to 1, where the logit of 1 is y.
Variable bernoulli_nll(const Operand& x, const Operand& y, const std::string& reduce = "sum");
/// (ln_var + log(2 pi) + (x - mean)^2 / exp(ln_var)) / 2, the negative log likelihood of x.
Variable gaussian_nll(const Operand& x, const Operand& mean, const Operand& ln_var,
                      const std::string& reduce = "sum");
/// (mean^2 + exp(ln_var) - ln_var - 1) / 2, the divergence from the standard normal distribution.
Variable gaussian_kl_divergence(const Operand& mean, const Operand& ln_var,
                                const std::string& reduce = "sum");

}  // namespace catena
