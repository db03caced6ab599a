#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

struct AdamOptions {
    double alpha = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double eta = 1.0;
    double weight_decay_rate = 0;
};

/// m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v)
/// p -= eta (alpha_t m / (sqrt(v) + eps) + weight_decay_rate p),  alpha_t = alpha sqrt(1 - beta2^t) / (1 - beta1^t)
///
/// As in Chainer, eps stands outside the bias correction and the decay is not scaled by alpha.
class Adam : public Optimizer {
public:
    explicit Adam(const AdamOptions& options = {});
    explicit Adam(double alpha) : Adam(AdamOptions{.alpha = alpha}) {}
    std::string type_name() const override { return "Adam"; }
    std::vector<std::string> moment_names() const override { return {"m", "v"}; }
    std::vector<Cell> hyperparameters() const override { return {alpha, beta1, beta2, eps, eta, weight_decay_rate}; }
    double learning_rate() const override;  ///< alpha_t of the last update; alpha before the first.
    Cell alpha, beta1, beta2, eps, eta, weight_decay_rate;

protected:
    void update_slots(std::span<UpdateSlot* const> slots) override;
};

/// Adam with decoupled weight decay: the same rule under its usual name. The default decay is 0, as in
/// Chainer.
class AdamW : public Adam {
public:
    explicit AdamW(const AdamOptions& options = {}) : Adam(options) {}
    std::string type_name() const override { return "AdamW"; }
};

}  // namespace catena
