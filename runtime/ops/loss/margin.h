#pragma once

#include <string>

#include "runtime/graph/op.h"

namespace catena {

// Losses that vanish beyond a margin. reduce is "mean", over the batch, or "no". The slope at the
// margin is 0.

/// max(0, 1 - x) where t is the class and max(0, 1 + x) elsewhere, squared for norm "L2"; x [N, K],
/// t [N] of classes. "mean" sums over classes, "no" leaves [N, K]. ValueError for a label that is
/// not a class.
Variable hinge(const Operand& x, const Operand& t, const std::string& norm = "L1",
               const std::string& reduce = "mean");
/// max(0, |anchor - positive|^2 - |anchor - negative|^2 + margin), squares summed along axis 1
/// (Schroff et al. 2015). All three have one shape; margin is positive.
Variable triplet(const Operand& anchor, const Operand& positive, const Operand& negative,
                 const Scalar& margin = 0.2, const std::string& reduce = "mean");
/// (y d^2 + (1 - y) max(0, margin - d)^2) / 2 with the distance d of the rows of x0 and x1 [N, K];
/// y [N] is 1 for like pairs and 0 for others (Hadsell et al. 2006). Equal rows get gradient 0.
Variable contrastive(const Operand& x0, const Operand& x1, const Operand& y,
                     const Scalar& margin = 1, const std::string& reduce = "mean");

}  // namespace catena
