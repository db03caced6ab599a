#pragma once

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// The normal distribution of vectors of d numbers with mean loc [...,d] and covariance L L^T,
/// where L is the lower triangle of scale_tril [...,d,d]. Samples are differentiable. log_prob and
/// divergences invert L through LAPACK (runtime/ops/math/linalg/linalg.h).
class MultivariateNormal : public Distribution {
public:
    MultivariateNormal(const Operand& loc, const Operand& scale_tril);

    std::string name() const override { return "MultivariateNormal"; }
    std::string support() const override { return "real"; }
    std::map<std::string, Variable> params() const override;
    const Variable& loc() const { return loc_; }
    const Variable& scale_tril() const { return scale_tril_; }
    int64_t d() const { return event_shape()[0]; }
    Variable log_det_scale() const;  ///< The logarithm of the determinant of L.
    Variable log_prob(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override { return loc_; }
    Variable mode() const override { return loc_; }
    Variable variance() const override;
    Variable covariance() const override;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable loc_, scale_tril_;
};

}  // namespace catena::distributions
