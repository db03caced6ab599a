#pragma once

#include <concepts>
#include <memory>
#include <optional>

#include "frontend/distribution/base/distribution.h"

namespace catena::distributions {

/// Another distribution whose last batch axes are taken as event axes: `Independent(Normal(loc,
/// scale), 1)` of [N,d] is a batch of N distributions of vectors. Logarithms and entropies are
/// summed over these axes, probabilities multiplied.
class Independent : public Distribution {
public:
    /// The number of axes is given; without a number, all but the first. ValueError if the batch
    /// has fewer.
    template <std::derived_from<Distribution> D>
    explicit Independent(D distribution, std::optional<int> reinterpreted_batch_ndims = {})
        : Independent(std::make_shared<const D>(std::move(distribution)),
                      reinterpreted_batch_ndims) {}
    explicit Independent(std::shared_ptr<const Distribution> distribution,
                         std::optional<int> reinterpreted_batch_ndims = {});

    std::string name() const override { return "Independent"; }
    std::string support() const override { return base_->support(); }
    std::map<std::string, Variable> params() const override { return base_->params(); }
    const Distribution& distribution() const { return *base_; }
    int reinterpreted_batch_ndims() const { return axes_; }
    Variable log_prob(const Operand& x) const override;
    Variable prob(const Operand& x) const override;
    Variable cdf(const Operand& x) const override;
    Variable log_cdf(const Operand& x) const override;
    Variable survival_function(const Operand& x) const override;
    Variable log_survival_function(const Operand& x) const override;
    Variable perplexity(const Operand& x) const override;
    Variable entropy() const override;
    Variable mean() const override { return base_->mean(); }
    Variable mode() const override { return base_->mode(); }
    Variable variance() const override { return base_->variance(); }
    Variable stddev() const override { return base_->stddev(); }
    /// The covariance of the flattened event, in blocks: the base's covariance, or its variance
    /// where its events are numbers.
    Variable covariance() const override;
    /// y summed over the axes that were moved to the event.
    Variable summed(const Variable& y) const;

protected:
    Variable draw(const Shape& shape) const override;

private:
    Variable multiplied(const Variable& y) const;
    std::shared_ptr<const Distribution> base_;
    int axes_ = 0;
};

}  // namespace catena::distributions
