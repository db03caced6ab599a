#pragma once

#include <optional>

#include "frontend/link/link.h"

namespace catena {

/// swish(x, beta) = x sigmoid(beta x) with learned betas (Ramachandran et al. 2017,
/// arXiv:1710.05941).
class Swish : public Link {
public:
    /// `beta_shape` is the shape of the betas: the leading axes of x without its batch axis.
    /// Without it, there is a beta for each element of an example, as the first input shows.
    explicit Swish(const std::optional<Shape>& beta_shape = std::nullopt, double beta_init = 1.0);
    /// x sigmoid(beta x), of x's shape. ShapeError unless beta has the sizes of x's leading axes
    /// behind the batch axis.
    Variable operator()(const Operand& x);

    /// The factors within sigmoid.
    Parameter beta;
};

}  // namespace catena
