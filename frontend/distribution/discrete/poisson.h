#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The Poisson distribution: counts of independent events of which lam are expected. Samples are
/// floats, and constants.
class Poisson : public Distribution {
public:
    explicit Poisson(const Operand& lam);

    std::string name() const override { return "Poisson"; }
    std::string support() const override { return "non negative integer"; }
    std::map<std::string, Variable> params() const override;
    const Variable& lam() const { return lam_; }
    Variable log_prob(const Operand& x) const override;
    Variable mean() const override { return lam_; }
    Variable variance() const override { return lam_; }

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable lam_;
};

}  // namespace catena::distributions
