#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

// Losses of variational auto-encoders (Kingma and Welling 2013). Arrays broadcast. reduce is "sum",
// "mean" or "no": one loss per element.

/// softplus(y) - x * y, elementwise: the negative log likelihood of x under a Bernoulli
/// distribution, as reconstructions of auto-encoders have it (Kingma and Welling 2013,
/// "Auto-Encoding Variational Bayes"). Floats; shapes broadcast.
/// - x: The data, between 0 and 1.
/// - y: The logit of 1.
/// - reduce: "sum" or "mean" over all elements, one number; or "no", one loss for each.
Variable bernoulli_nll(const Operand& x, const Operand& y, const std::string& reduce = "sum");
/// (ln_var + log(2 pi) + (x - mean)^2 / exp(ln_var)) / 2, elementwise: the negative log likelihood
/// of x under a normal distribution. Floats; shapes broadcast.
/// - x: The data.
/// - mean: The means of the distribution.
/// - ln_var: The logarithms of its variances.
/// - reduce: "sum" or "mean" over all elements, one number; or "no", one loss for each.
Variable gaussian_nll(const Operand& x, const Operand& mean, const Operand& ln_var,
                      const std::string& reduce = "sum");
/// (mean^2 + exp(ln_var) - ln_var - 1) / 2, elementwise: the Kullback-Leibler divergence of a
/// normal distribution from the standard one, as variational auto-encoders have it (Kingma and
/// Welling 2013, "Auto-Encoding Variational Bayes"). Floats; shapes broadcast.
/// - mean: The means of the distribution.
/// - ln_var: The logarithms of its variances.
/// - reduce: "sum" or "mean" over all elements, one number; or "no", one for each.
Variable gaussian_kl_divergence(const Operand& mean, const Operand& ln_var,
                                const std::string& reduce = "sum");

}  // namespace catena
