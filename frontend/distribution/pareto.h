#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The Pareto distribution: values from scale on, with a density proportional to x^-(alpha + 1).
/// Samples are differentiable.
class Pareto : public Distribution {
public:
    Pareto(const Operand& scale, const Operand& alpha);

    std::string name() const override { return "Pareto"; }
    std::string support() const override { return "[scale, inf]"; }
    std::map<std::string, Variable> params() const override;
    const Variable& scale() const { return scale_; }
    const Variable& alpha() const { return alpha_; }
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;      ///< The mean; inf for alpha <= 1.
    Variable variance() const override;  ///< The variance; inf for alpha <= 2.

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable scale_, alpha_;
};

}  // namespace catena::distributions
