#pragma once

#include <span>
#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

// Linear-chain conditional random fields (Lafferty et al. 2001) over sequences that are sorted by
// decreasing length and transposed (transpose_sequence): xs[i] [B_i, K] holds the scores of the K
// labels at position i of the sequences longer than i. cost [K, K] holds the scores of steps from a
// label to the next.

/// The negative log likelihood of labels under a linear-chain conditional random field (Lafferty et
/// al. 2001, "Conditional Random Fields"). Sequences are sorted by decreasing length and given
/// position by position, as transpose_sequence gives them. Floats of one dtype; ShapeError where
/// lengths increase.
/// - cost: Scores of the steps from a label to the next, (K, K).
/// - xs: Scores of the K labels at each position i, for the sequences that are longer than i: (B_i,
///   K).
/// - ys: Integer labels of each position, (B_i).
/// - reduce: "mean" over the sequences, one number, or "no", one loss for each, (B_0).
Variable crf1d(const Operand& cost, std::span<const Variable> xs, std::span<const Variable> ys,
               const std::string& reduce = "mean");

/// The likeliest labels of sequences, and their scores.
struct CrfPath {
    /// (B_0), differentiable.
    Variable score;
    /// int32 (B_i) for each position i.
    Variables labels;
};
/// The likeliest labels of sequences under a linear-chain conditional random field (Viterbi), and
/// their scores. Sequences are sorted by decreasing length and given position by position, as
/// transpose_sequence gives them.
/// - cost: Scores of the steps from a label to the next, (K, K).
/// - xs: Scores of the K labels at each position i, for the sequences that are longer than i: (B_i,
///   K).
CrfPath argmax_crf1d(const Operand& cost, std::span<const Variable> xs);

}  // namespace catena
