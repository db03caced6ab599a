#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The uniform distribution from low to high. Samples are differentiable.
class Uniform : public Distribution {
public:
    Uniform(const Operand& low, const Operand& high);
    /// The uniform distribution from loc to loc + scale.
    static Uniform with_loc_scale(const Operand& loc, const Operand& scale);

    std::string name() const override { return "Uniform"; }
    std::string support() const override { return "[low, high]"; }
    std::map<std::string, Variable> params() const override;
    const Variable& low() const { return low_; }
    const Variable& high() const { return high_; }
    const Variable& loc() const { return low_; }
    Variable scale() const;  ///< The width: `scale` as it was given, or high - low.
    Variable log_prob(const Operand& x) const override;
    Variable cdf(const Operand& x) const override;
    Variable icdf(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Uniform() = default;
    Variable low_, high_;
    Variable scale_;  ///< The given scale; undefined if low and high were given.
};

}  // namespace catena::distributions
