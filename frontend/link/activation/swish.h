#pragma once

#include <optional>

#include "frontend/link/link.h"

namespace catena {

/// swish(x, beta) = x sigmoid(beta x) with learned betas (Ramachandran et al. 2017,
/// arXiv:1710.05941).
class Swish : public Link {
public:
    /// `beta_shape` is the leading shape of x without its batch axis; none: all of it, from the
    /// first input.
    explicit Swish(const std::optional<Shape>& beta_shape = std::nullopt, double beta_init = 1.0);
    Variable operator()(const Operand& x);

    Parameter beta;
};

}  // namespace catena
