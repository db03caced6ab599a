#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// A choice of a class, as Categorical, given as a row of zeros with a 1 at the class along the
/// last axis. Samples are constants.
class OneHotCategorical : public Distribution {
public:
    explicit OneHotCategorical(const Operand& p);

    std::string name() const override { return "OneHotCategorical"; }
    std::string support() const override { return "one-hot"; }
    std::map<std::string, Variable> params() const override;
    const Variable& p() const { return p_; }
    const Variable& log_p() const { return log_p_; }
    Variable log_prob(const Operand& x) const override;
    Variable mean() const override { return p_; }
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable p_, log_p_;
};

}  // namespace catena::distributions
