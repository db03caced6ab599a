#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The Cauchy distribution: (x - loc) / scale is the tangent of a uniform angle. Mean and variance
/// are NaN. Samples are differentiable.
class Cauchy : public Distribution {
public:
    Cauchy(const Operand& loc, const Operand& scale);

    std::string name() const override { return "Cauchy"; }
    std::string support() const override { return "real"; }
    std::map<std::string, Variable> params() const override;
    const Variable& loc() const { return loc_; }
    const Variable& scale() const { return scale_; }
    Variable log_prob(const Operand& x) const override;
    Variable cdf(const Operand& x) const override;
    Variable icdf(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable mode() const override { return loc_; }
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable loc_, scale_;
};

}  // namespace catena::distributions
