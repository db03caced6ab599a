#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The exponential distribution, with density lam exp(-lam x). Samples are differentiable.
class Exponential : public Distribution {
public:
    explicit Exponential(const Operand& lam);

    std::string name() const override { return "Exponential"; }
    std::string support() const override { return "positive"; }
    std::map<std::string, Variable> params() const override;
    const Variable& lam() const { return lam_; }
    Variable log_prob(const Operand& x) const override;
    Variable cdf(const Operand& x) const override;
    Variable icdf(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable lam_;
};

}  // namespace catena::distributions
