#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The chi-square distribution: the sum of k squares of standard normal numbers. Samples are
/// constants.
class Chisquare : public Distribution {
public:
    explicit Chisquare(const Operand& k);

    std::string name() const override { return "Chisquare"; }
    std::string support() const override { return "positive"; }
    std::map<std::string, Variable> params() const override;
    const Variable& k() const { return k_; }
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override { return k_; }
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable k_;
};

}  // namespace catena::distributions
