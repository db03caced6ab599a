#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/graph/op.h"

namespace catena {

// Losses over large vocabularies that compare the label with a few words. x [N, D], labels t [N]
// integers, W [V, D].

/// Draws integers of a shape.
using Sampler = std::function<Variable(const Shape&)>;

struct NegativeSamplingResult {
    Variable loss;
    Variable samples;  ///< int32 [N, sample_size + 1]; the first column is t.
};
/// Negative sampling (Mikolov et al. 2013): softplus(-x w_t) + the sum over the samples k of
/// softplus(x w_k). Rows with t = -1 are left out. reduce is "sum" or "no".
NegativeSamplingResult negative_sampling(const Operand& x, const Operand& t, const Operand& W,
                                         const Sampler& sampler, int64_t sample_size,
                                         const std::string& reduce = "sum");
/// The same with these samples, integers [N, S].
Variable negative_sampling(const Operand& x, const Operand& t, const Operand& W,
                           const Operand& samples, const std::string& reduce = "sum");

/// BlackOut (Ji et al. 2015): -log p(t) - the sum over the samples of log(1 - p), where p is the
/// softmax of x w over the label and the row's samples, integers [N, S]. reduce is "mean" or "no".
Variable black_out(const Operand& x, const Operand& t, const Operand& W, const Operand& samples,
                   const std::string& reduce = "mean");

}  // namespace catena
