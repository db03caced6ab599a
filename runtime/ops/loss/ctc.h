#pragma once

#include <span>
#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

/// Connectionist temporal classification (Graves et al. 2006): -log of the probability that a
/// sequence of labels is read from steps, each with the softmax of its scores as probabilities of V
/// symbols, where equal neighbours count once and the blank symbol stands for none. Differentiable
/// towards the scores. Labels that do not fit into their steps give about 1e10.
/// - x, xs: Scores of each step, a list of (B, V), floating point.
/// - t: Integer labels, (B, M); what is past a length may be anything.
/// - blank_symbol: Which of the V symbols stands for none.
/// - input_length: Integers (B), how many steps of each sequence count; all if not given.
/// - label_length: Integers (B), how many labels of each sequence count; all if not given.
/// - reduce: "mean" over the batch, one number, or "no", one loss for each sequence, (B).
Variable connectionist_temporal_classification(std::span<const Variable> xs, const Operand& t,
                                               int64_t blank_symbol,
                                               const Variable& input_length = {},
                                               const Variable& label_length = {},
                                               const std::string& reduce = "mean");

}  // namespace catena
