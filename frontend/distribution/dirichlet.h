#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The Dirichlet distribution of probabilities along the last axis, with a density proportional to
/// the product of x_i^(alpha_i - 1). Samples are constants.
class Dirichlet : public Distribution {
public:
    explicit Dirichlet(const Operand& alpha);

    std::string name() const override { return "Dirichlet"; }
    std::string support() const override { return "[0, 1]"; }
    std::map<std::string, Variable> params() const override;
    const Variable& alpha() const { return alpha_; }
    Variable alpha0() const;  ///< The sum of alpha.
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable alpha_;
};

}  // namespace catena::distributions
