#pragma once

#include <span>
#include <string>

#include "runtime/graph/op.h"

namespace catena {

// Linear-chain conditional random fields (Lafferty et al. 2001) over sequences that are sorted by
// decreasing length and transposed (transpose_sequence): xs[i] [B_i, K] holds the scores of the K
// labels at position i of the sequences longer than i. cost [K, K] holds the scores of steps from a
// label to the next.

/// The negative log likelihood of the labels ys, integers [B_i]; reduce is "mean", over the
/// sequences, or "no".
Variable crf1d(const Operand& cost, std::span<const Variable> xs, std::span<const Variable> ys,
               const std::string& reduce = "mean");

/// The likeliest labels of each position, int32 [B_i], and their scores [B_0], which are
/// differentiable.
struct CrfPath {
    Variable score;
    Variables labels;
};
CrfPath argmax_crf1d(const Operand& cost, std::span<const Variable> xs);

}  // namespace catena
