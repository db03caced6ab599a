#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The geometric distribution: the number of trials until the first success, 1 or more, where p is
/// the probability of success. Samples are constants.
class Geometric : public Distribution {
public:
    explicit Geometric(const Operand& p);

    std::string name() const override { return "Geometric"; }
    std::string support() const override { return "positive integer"; }
    std::map<std::string, Variable> params() const override;
    const Variable& p() const { return p_; }
    Variable log_prob(const Operand& x) const override;
    Variable mean() const override;
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable p_;
};

}  // namespace catena::distributions
