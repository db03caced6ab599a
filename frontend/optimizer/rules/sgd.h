#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Stochastic gradient descent: p -= lr g
class SGD : public Optimizer {
public:
    /// `lr` is the step size.
    explicit SGD(double lr = 0.01) : lr(lr, "lr") {}
    std::string type_name() const override { return "SGD"; }
    bool is_elementwise() const override { return true; }
    std::vector<Cell> hyperparameters() const override { return {lr}; }
    /// The step size, which may be assigned at any time.
    Cell lr;

protected:
    void update_group(const UpdateGroup& group) override;
};

/// Gradient descent with momentum: v = momentum v - lr g;  p += v
class MomentumSGD : public Optimizer {
public:
    /// A rule with the step size `lr`; `momentum` is the share of the last step that is added to
    /// the present one.
    explicit MomentumSGD(double lr = 0.01, double momentum = 0.9)
        : lr(lr, "lr"), momentum(momentum, "momentum") {}
    std::string type_name() const override { return "MomentumSGD"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"v"}; }
    std::vector<Cell> hyperparameters() const override { return {lr, momentum}; }
    /// The hyperparameters, which may be assigned at any time.
    Cell lr, momentum;

protected:
    void update_group(const UpdateGroup& group) override;
};

/// Gradient descent with momentum: v = momentum v - g;  p += lr v
///
/// The learning rate is outside of v, so a changed one acts at once on all of the step.
class CorrectedMomentumSGD : public MomentumSGD {
public:
    using MomentumSGD::MomentumSGD;
    std::string type_name() const override { return "CorrectedMomentumSGD"; }

protected:
    void update_group(const UpdateGroup& group) override;
};

/// Nesterov's accelerated gradient, http://arxiv.org/abs/1212.0901:
/// v = momentum v - lr g;  p += momentum^2 v - (1 + momentum) lr g
class NesterovAG : public MomentumSGD {
public:
    using MomentumSGD::MomentumSGD;
    std::string type_name() const override { return "NesterovAG"; }

protected:
    void update_group(const UpdateGroup& group) override;
};

}  // namespace catena
