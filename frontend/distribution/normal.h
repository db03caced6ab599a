#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The normal distribution around loc with standard deviation scale. Samples are differentiable.
class Normal : public Distribution {
public:
    Normal(const Operand& loc, const Operand& scale);
    /// The distribution with scale = exp(log_scale), where log_scale may be any number.
    static Normal with_log_scale(const Operand& loc, const Operand& log_scale);

    std::string name() const override { return "Normal"; }
    std::string support() const override { return "real"; }
    std::map<std::string, Variable> params() const override;
    const Variable& loc() const { return loc_; }
    const Variable& scale() const { return scale_; }
    const Variable& log_scale() const { return log_scale_; }
    Variable log_prob(const Operand& x) const override;
    Variable cdf(const Operand& x) const override;
    Variable icdf(const Operand& x) const override;
    Variable log_cdf(const Operand& x) const override;
    Variable survival_function(const Operand& x) const override;
    Variable log_survival_function(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override { return loc_; }
    Variable mode() const override { return loc_; }
    Variable variance() const override;
    Variable stddev() const override { return scale_; }

protected:
    Variable draw(const Shape& shape) const override;

private:
    Normal() = default;
    Variable loc_, scale_, log_scale_;
};

}  // namespace catena::distributions
