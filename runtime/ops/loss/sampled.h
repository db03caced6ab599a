#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

// Losses over large vocabularies that compare the label with a few words. x [N, D], labels t [N]
// integers, W [V, D].

/// A function that draws integers of a shape.
using Sampler = std::function<Variable(const Shape&)>;

struct NegativeSamplingResult {
    Variable loss;
    Variable samples;  ///< The samples, int32 [N, sample_size + 1]; the first column is t.
};
/// negative_sampling with `sample_size` samples for each row, which a sampler draws and which are
/// returned, too.
NegativeSamplingResult negative_sampling(const Operand& x, const Operand& t, const Operand& W,
                                         const Sampler& sampler, int64_t sample_size,
                                         const std::string& reduce = "sum");
/// Negative sampling for large vocabularies (Mikolov et al. 2013, "Distributed Representations of
/// Words and Phrases and their Compositionality"): softplus(-x . W[t]) plus the sum of softplus(x .
/// W[k]) over the samples k of a row. Rows with the label -1 have the loss 0.
/// - x: Floating point, (N, D).
/// - t: Integer labels, (N).
/// - W: A vector for each word, (V, D), of x's dtype.
/// - samples: Integers, (N, S), the words that each row is compared with.
/// - reduce: "sum" over the rows, one number, or "no", (N).
Variable negative_sampling(const Operand& x, const Operand& t, const Operand& W,
                           const Operand& samples, const std::string& reduce = "sum");

/// BlackOut for large vocabularies (Ji et al. 2015, "BlackOut: Speeding up Recurrent Neural Network
/// Language Models With Very Large Vocabularies"): -log p[t] minus the sum of log(1 - p[k]) over
/// the samples k of a row, where p is the softmax of x . W over the label and the samples.
/// - x: Floating point, (N, D).
/// - t: Integer labels, (N).
/// - W: A vector for each word, (V, D), of x's dtype.
/// - samples: Integers, (N, S), the words that each row is compared with.
/// - reduce: "mean" over the rows, one number, or "no", (N).
Variable black_out(const Operand& x, const Operand& t, const Operand& W, const Operand& samples,
                   const std::string& reduce = "mean");

}  // namespace catena
