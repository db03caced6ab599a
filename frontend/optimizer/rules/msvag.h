#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Options of MSVAG.
struct MSVAGOptions {
    /// The step size.
    double lr = 0.1;
    /// The share of the means that an update keeps.
    double beta = 0.9;
    /// A factor of the whole step.
    double eta = 1.0;
    /// The share of a parameter that an update takes away.
    double weight_decay_rate = 0;
};

/// M-SVAG, https://arxiv.org/abs/1705.07774: momentum scaled by how much of the gradient is signal.
///     m += (1 - beta) (g - m);  v += (1 - beta) (g^2 - v)
///     mt = m / (1 - beta^t);  vt = v / (1 - beta^t)
///     rho = min((1 - beta)^2 (1 - beta^2t) / ((1 - beta^t)^2 (1 - beta^2)), 0.9999)
///     s = (vt - mt^2) / (1 - rho)
///     p -= eta (lr mt clip(mt^2 / (mt^2 + rho s), 0, 1) + weight_decay_rate p)
class MSVAG : public Optimizer {
public:
    /// A rule with these options.
    explicit MSVAG(const MSVAGOptions& options = {})
        : lr(options.lr, "lr"),
          beta(options.beta, "beta"),
          eta(options.eta, "eta"),
          weight_decay_rate(options.weight_decay_rate, "weight_decay_rate") {}
    /// A rule with the step size `lr` and the decay of the means.
    explicit MSVAG(double lr, double beta = MSVAGOptions().beta)
        : MSVAG(MSVAGOptions{.lr = lr, .beta = beta}) {}
    std::string type_name() const override { return "MSVAG"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"m", "v"}; }
    std::vector<Cell> hyperparameters() const override {
        return {lr, beta, eta, weight_decay_rate};
    }
    /// The hyperparameters, which may be assigned at any time.
    Cell lr, beta, eta, weight_decay_rate;

protected:
    void update_group(const UpdateGroup& group) override;
};

}  // namespace catena
