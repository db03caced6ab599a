#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The Laplace distribution, whose density falls by exp(-|x - loc| / scale) on both sides. Samples
/// are differentiable.
class Laplace : public Distribution {
public:
    Laplace(const Operand& loc, const Operand& scale);

    std::string name() const override { return "Laplace"; }
    std::string support() const override { return "real"; }
    std::map<std::string, Variable> params() const override;
    const Variable& loc() const { return loc_; }
    const Variable& scale() const { return scale_; }
    Variable log_prob(const Operand& x) const override;
    Variable cdf(const Operand& x) const override;
    Variable icdf(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override { return loc_; }
    Variable mode() const override { return loc_; }
    Variable variance() const override;
    /// The standard deviation, not computed from the variance, which overflows earlier.
    Variable stddev() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable loc_, scale_;
};

}  // namespace catena::distributions
