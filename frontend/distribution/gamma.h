#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The gamma distribution of shape k and scale theta. Samples are differentiable towards theta, and
/// constants towards k.
class Gamma : public Distribution {
public:
    Gamma(const Operand& k, const Operand& theta);

    std::string name() const override { return "Gamma"; }
    std::string support() const override { return "positive"; }
    std::map<std::string, Variable> params() const override;
    const Variable& k() const { return k_; }
    const Variable& theta() const { return theta_; }
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable k_, theta_;
};

}  // namespace catena::distributions
