#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// AdaDelta, https://arxiv.org/abs/1212.5701, which needs no learning rate:
///     msg = rho msg + (1 - rho) g^2;  dx = sqrt((msdx + eps) / (msg + eps)) g
///     msdx = rho msdx + (1 - rho) dx^2;  p -= dx
class AdaDelta : public Optimizer {
public:
    /// `rho` is the share of the means that an update keeps, `eps` a small number within the roots.
    explicit AdaDelta(double rho = 0.95, double eps = 1e-6) : rho(rho, "rho"), eps(eps, "eps") {}
    std::string type_name() const override { return "AdaDelta"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"msg", "msdx"}; }
    std::vector<Cell> hyperparameters() const override { return {rho, eps}; }
    /// The hyperparameters, which may be assigned at any time.
    Cell rho, eps;

protected:
    void update_group(const UpdateGroup& group) override;
};

}  // namespace catena
