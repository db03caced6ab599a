#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Options of Adam and of its variants.
struct AdamOptions {
    /// The step size.
    double alpha = 0.001;
    /// The share of the mean of gradients that an update keeps.
    double beta1 = 0.9;
    /// The share of the mean of squared gradients that an update keeps.
    double beta2 = 0.999;
    /// A small number added to the root of the mean of squares.
    double eps = 1e-8;
    /// A factor of the whole step.
    double eta = 1.0;
    /// The share of a parameter that an update takes away.
    double weight_decay_rate = 0;
    /// Whether the largest mean of squares so far is used, instead of the present one.
    bool amsgrad = false;
    /// Whether each element's step size is bounded, between limits that close on final_lr.
    bool adabound = false;
    /// The step size that the bounds of adabound close on.
    double final_lr = 0.1;
    /// How fast the bounds of adabound close.
    double gamma = 0.001;
    /// Whether weight_decay_rate is multiplied by alpha, as in PyTorch's AdamW.
    bool decay_by_alpha = false;
};

/// Adam (Kingma and Ba 2014, https://arxiv.org/abs/1412.6980) with decoupled weight decay:
///     m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v)
///     alpha_t = alpha sqrt(1 - beta2^t) / (1 - beta1^t)
///     p -= eta (alpha_t / (sqrt(v) + eps) m + weight_decay_rate p)
///
/// As in Chainer, eps stands outside the bias correction and the decay is not scaled by alpha.
///
/// decay_by_alpha: alpha weight_decay_rate replaces weight_decay_rate, so that the decay follows a
/// schedule of alpha. amsgrad: vhat = max(vhat, v) replaces v in the line of p. adabound: alpha_t /
/// (sqrt(v) + eps) is clipped to the range from f (1 - 1 / (gamma t + 1)) to f (1 + 1 / (gamma t)),
/// where f is final_lr alpha / (alpha at setup).
class Adam : public Optimizer {
public:
    /// A rule with these options.
    explicit Adam(const AdamOptions& options = {});
    /// A rule with the step size `alpha` and the decays of the means.
    explicit Adam(double alpha, double beta1 = AdamOptions().beta1,
                  double beta2 = AdamOptions().beta2, double eps = AdamOptions().eps)
        : Adam(AdamOptions{.alpha = alpha, .beta1 = beta1, .beta2 = beta2, .eps = eps}) {}
    std::string type_name() const override { return "Adam"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override;
    std::vector<Cell> hyperparameters() const override;
    /// The learning rate alpha_t of the last update; alpha before the first.
    double learning_rate() const override;
    /// Whether the largest mean of squares so far is used.
    bool amsgrad() const { return amsgrad_; }
    /// Whether step sizes are bounded.
    bool adabound() const { return adabound_; }
    /// Whether the decay is scaled by alpha.
    bool decay_by_alpha() const { return decay_by_alpha_; }
    /// The hyperparameters, which may be assigned at any time.
    Cell alpha, beta1, beta2, eps, eta, weight_decay_rate, final_lr, gamma;

protected:
    void update_group(const UpdateGroup& group) override;
    void begin() override { initial_alpha_ = alpha.value(); }

private:
    bool amsgrad_, adabound_, decay_by_alpha_;
    Cell initial_alpha_;
};

/// Adam with decoupled weight decay: Adam's own rule under this usual name. The default decay is 0,
/// as in Chainer.
class AdamW : public Adam {
public:
    /// A rule with these options.
    explicit AdamW(const AdamOptions& options = {}) : Adam(options) {}
    explicit AdamW(double alpha) : AdamW(AdamOptions{.alpha = alpha}) {}
    std::string type_name() const override { return "AdamW"; }
};

/// Adam with amsgrad, https://openreview.net/forum?id=ryQu7f-RZ.
class AMSGrad : public Adam {
public:
    /// A rule with these options and amsgrad.
    explicit AMSGrad(AdamOptions options = {}) : Adam((options.amsgrad = true, options)) {}
    explicit AMSGrad(double alpha) : AMSGrad(AdamOptions{.alpha = alpha}) {}
    std::string type_name() const override { return "AMSGrad"; }
};

/// Adam with adabound, https://openreview.net/forum?id=Bkg3g2R9FX.
class AdaBound : public Adam {
public:
    /// A rule with these options and adabound.
    explicit AdaBound(AdamOptions options = {}) : Adam((options.adabound = true, options)) {}
    explicit AdaBound(double alpha) : AdaBound(AdamOptions{.alpha = alpha}) {}
    std::string type_name() const override { return "AdaBound"; }
};

/// Adam with amsgrad and adabound.
class AMSBound : public Adam {
public:
    /// A rule with these options, amsgrad and adabound.
    explicit AMSBound(AdamOptions options = {})
        : Adam((options.amsgrad = options.adabound = true, options)) {}
    explicit AMSBound(double alpha) : AMSBound(AdamOptions{.alpha = alpha}) {}
    std::string type_name() const override { return "AMSBound"; }
};

}  // namespace catena
