#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// AdaGrad, http://jmlr.org/papers/v12/duchi11a.html: h += g^2;  p -= lr g / (sqrt(h) + eps)
class AdaGrad : public Optimizer {
public:
    /// `lr` is the step size, `eps` a small number added to the root.
    explicit AdaGrad(double lr = 0.001, double eps = 1e-8) : lr(lr, "lr"), eps(eps, "eps") {}
    std::string type_name() const override { return "AdaGrad"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"h"}; }
    std::vector<Cell> hyperparameters() const override { return {lr, eps}; }
    /// The hyperparameters, which may be assigned at any time.
    Cell lr, eps;

protected:
    void update_group(const UpdateGroup& group) override;
};

}  // namespace catena
