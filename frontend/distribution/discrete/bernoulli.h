#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The Bernoulli distribution: 1 with probability p, else 0. Samples are int64. With binary_check
/// other values have probability 0; without, the formula holds for them as well.
class Bernoulli : public Distribution {
public:
    explicit Bernoulli(const Operand& p, bool binary_check = false);
    /// Takes the logit log(p / (1 - p)), which may be any number, instead of p.
    static Bernoulli with_logit(const Operand& logit, bool binary_check = false);

    std::string name() const override { return "Bernoulli"; }
    std::string support() const override { return "{0, 1}"; }
    std::map<std::string, Variable> params() const override;
    const Variable& p() const { return p_; }
    const Variable& logit() const { return logit_; }
    Variable log_prob(const Operand& x) const override;
    Variable prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override { return p_; }
    Variable variance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    explicit Bernoulli(bool binary_check) : binary_check_(binary_check) {}
    Variable only_binary(const Variable& y, const Variable& x, double otherwise) const;
    Variable p_, logit_;
    bool binary_check_ = false;
};

}  // namespace catena::distributions
