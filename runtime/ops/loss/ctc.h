#pragma once

#include <span>
#include <string>

#include "runtime/graph/op.h"

namespace catena {

/// Connectionist temporal classification (Graves et al. 2006): -log of the probability that
/// sequence b of labels, t[b], is read from the steps xs[i] [B, V], whose softmax gives the
/// probabilities of V symbols, where equal neighbours count once and the blank symbol stands for
/// none. t [B, M] holds integers; of row b the first label_length[b] count, and of the steps the
/// first input_length[b]; undefined lengths are M and the number of steps. Labels past a length may
/// be anything. Labels that do not fit into their steps give 1e10. reduce is "mean" or "no".
/// Differentiable towards xs.
Variable connectionist_temporal_classification(std::span<const Variable> xs, const Operand& t,
                                               int64_t blank_symbol,
                                               const Variable& input_length = {},
                                               const Variable& label_length = {},
                                               const std::string& reduce = "mean");

}  // namespace catena
