#pragma once

#include "frontend/link/hooks/weight.h"

namespace catena::link_hooks {

/// Options of a WeightStandardization.
struct WeightStandardizationOptions {
    /// A small number added to variances, against division by 0.
    double eps = 1e-5;
    /// The name of the weight that is standardized.
    std::string weight_name = "W";
};

/// A hook by which every call uses a weight whose output filters (first axis) have mean 0 and
/// variance 1 (Qiao et al. 2019, arXiv:1903.10520). Gradients flow through it to the parameter.
class WeightStandardization : public WeightHook {
public:
    /// Standardizes the weight that the options name.
    explicit WeightStandardization(WeightStandardizationOptions options = {})
        : WeightHook(std::move(options.weight_name)), eps_(options.eps) {}
    std::string name() const override { return "WeightStandardization"; }

protected:
    Variable weight_for_call(Link& link, Parameter& weight) override;

private:
    double eps_;
};

}  // namespace catena::link_hooks
