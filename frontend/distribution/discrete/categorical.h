#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// A choice of one of the classes of the last axis, with the probabilities p. Samples are int64.
class Categorical : public Distribution {
public:
    explicit Categorical(const Operand& p);
    /// The distribution with p = softmax(logit).
    static Categorical with_logit(const Operand& logit);

    std::string name() const override { return "Categorical"; }
    std::string support() const override { return "{0, 1, ..., K - 1}"; }
    std::map<std::string, Variable> params() const override;
    const Variable& p() const { return p_; }
    const Variable& log_p() const { return log_p_; }
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Categorical() = default;
    Variable p_, log_p_;
};

}  // namespace catena::distributions
