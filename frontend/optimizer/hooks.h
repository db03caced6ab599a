#pragma once

#include <functional>

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Weight decay: g += rate p
class WeightDecay : public ParameterHook {
public:
    /// `rate` is the factor of the parameter.
    explicit WeightDecay(double rate) : rate(rate, "rate") {}
    std::string name() const override { return "WeightDecay"; }
    bool takes_parts() const override { return true; }
    void change(std::span<UpdateSlot* const> slots, const Variable& t) override;
    /// The factor, which may be assigned at any time.
    Cell rate;
};

/// L1 regularisation: g += rate sign(p)
class Lasso : public ParameterHook {
public:
    /// `rate` is the factor of the sign.
    explicit Lasso(double rate) : rate(rate, "rate") {}
    std::string name() const override { return "Lasso"; }
    bool takes_parts() const override { return true; }
    void change(std::span<UpdateSlot* const> slots, const Variable& t) override;
    /// The factor, which may be assigned at any time.
    Cell rate;
};

/// Scales all gradients by threshold / norm when the L2 norm over all of them is larger than the
/// threshold. A norm of NaN changes nothing.
class GradientClipping : public OptimizerHook {
public:
    /// `threshold` is the largest norm that stays as it is.
    explicit GradientClipping(double threshold) : threshold(threshold, "threshold") {}
    std::string name() const override { return "GradientClipping"; }
    void operator()(Optimizer& optimizer) override;
    /// The threshold, which may be assigned at any time.
    Cell threshold;
};

/// Clips each element of a gradient: g = min(max(g, lower_bound), upper_bound)
class GradientHardClipping : public ParameterHook {
public:
    /// The least and the largest element that a gradient may have.
    GradientHardClipping(double lower_bound, double upper_bound)
        : lower_bound(lower_bound, "lower_bound"), upper_bound(upper_bound, "upper_bound") {}
    std::string name() const override { return "GradientHardClipping"; }
    bool takes_parts() const override { return true; }
    void change(std::span<UpdateSlot* const> slots, const Variable& t) override;
    /// The bounds, which may be assigned at any time.
    Cell lower_bound, upper_bound;
};

/// Layer-wise adaptive rates, https://arxiv.org/abs/1708.03888: g = rate (g + weight_decay p),
/// where rate is |p| / (eps + |g| + weight_decay |p|) for a parameter whose norm is larger than the
/// threshold, else 1.
class GradientLARS : public ParameterHook {
public:
    /// `threshold` is the norm above which a parameter has its own rate.
    explicit GradientLARS(double threshold = 1e-2, double weight_decay = 0, double eps = 1e-9)
        : threshold(threshold, "threshold"),
          weight_decay(weight_decay, "weight_decay"),
          eps(eps, "eps") {}
    std::string name() const override { return "GradientLARS"; }
    void change(std::span<UpdateSlot* const> slots, const Variable& t) override;
    /// The numbers of the formula, which may be assigned at any time.
    Cell threshold, weight_decay, eps;
};

/// Adds noise: g += noise, by default normal noise of variance eta / (1 + t)^0.55:
/// https://arxiv.org/abs/1511.06807.
class GradientNoise : public ParameterHook {
public:
    /// A function that gives the noise for one gradient, of the gradient's type.
    using Noise =
        std::function<Variable(const Type& gradient, const GradientNoise& hook, const Variable& t)>;
    /// `eta` is the factor of the variance.
    explicit GradientNoise(double eta, Noise noise = {});
    std::string name() const override { return "GradientNoise"; }
    void change(std::span<UpdateSlot* const> slots, const Variable& t) override;
    /// The factor of the variance, which may be assigned at any time.
    Cell eta;

private:
    Noise noise_;
};
/// The default noise of GradientNoise.
Variable exponential_decay_noise(const Type& gradient, const GradientNoise& hook,
                                 const Variable& t);

}  // namespace catena
