#pragma once

#include <string>

#include "runtime/graph/op/op.h"

namespace catena {

// Losses that vanish beyond a margin. reduce is "mean", over the batch, or "no". The slope at the
// margin is 0.

/// The hinge loss of several classes: max(0, 1 - x) where t is the class and max(0, 1 + x)
/// elsewhere. The slope at the margin is 0. Chainer's function. ValueError for a label that is no
/// class.
/// - x: Scores, floating point, (N, K).
/// - t: Integer labels from 0 to K - 1, (N).
/// - norm: "L1", or "L2" for the squares.
/// - reduce: "mean", the sum over classes and its mean over the batch, or "no", (N, K).
Variable hinge(const Operand& x, const Operand& t, const std::string& norm = "L1",
               const std::string& reduce = "mean");
/// max(0, |anchor - positive|^2 - |anchor - negative|^2 + margin), with squared distances along
/// axis 1 (Schroff et al. 2015, "FaceNet"). The slope at the margin is 0.
/// - anchor: Floating point, (N, K).
/// - positive: Samples of the anchors' class; of anchor's shape and dtype.
/// - negative: Samples of other classes; of anchor's shape and dtype.
/// - margin: By how much others should be further away; ValueError unless positive.
/// - reduce: "mean" over the batch, one number, or "no", one loss for each sample, (N).
Variable triplet(const Operand& anchor, const Operand& positive, const Operand& negative,
                 const Scalar& margin = 0.2, const std::string& reduce = "mean");
/// (y * d^2 + (1 - y) * max(0, margin - d)^2) / 2 with the Euclidean distance d of rows of x0 and
/// x1 (Hadsell et al. 2006, "Dimensionality Reduction by Learning an Invariant Mapping"). Equal
/// rows get the gradient 0.
/// - x0: Floating point, (N, K).
/// - x1: Of x0's shape and dtype.
/// - y: Integers, (N): 1 for pairs that are alike, 0 for others.
/// - margin: From what distance on other pairs cost nothing; ValueError unless positive.
/// - reduce: "mean" over the batch, one number, or "no", one loss for each pair, (N).
Variable contrastive(const Operand& x0, const Operand& x1, const Operand& y,
                     const Scalar& margin = 1, const std::string& reduce = "mean");

}  // namespace catena
