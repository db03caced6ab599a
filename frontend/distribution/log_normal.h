#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The log-normal distribution: exp of a normal distribution of mean mu and standard deviation
/// sigma. Samples are differentiable.
class LogNormal : public Distribution {
public:
    LogNormal(const Operand& mu, const Operand& sigma);

    std::string name() const override { return "LogNormal"; }
    std::string support() const override { return "positive"; }
    std::map<std::string, Variable> params() const override;
    const Variable& mu() const { return mu_; }
    const Variable& sigma() const { return sigma_; }
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable mu_, sigma_;
};

}  // namespace catena::distributions
