#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The beta distribution, whose density is proportional to x^(a - 1) (1 - x)^(b - 1). Samples are
/// constants.
class Beta : public Distribution {
public:
    Beta(const Operand& a, const Operand& b);

    std::string name() const override { return "Beta"; }
    std::string support() const override { return "[0, 1]"; }
    std::map<std::string, Variable> params() const override;
    const Variable& a() const { return a_; }
    const Variable& b() const { return b_; }
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable a_, b_;
};

}  // namespace catena::distributions
