#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Options of RMSprop.
struct RMSpropOptions {
    /// The step size.
    double lr = 0.01;
    /// The share of the mean of squared gradients that an update keeps.
    double alpha = 0.99;
    /// A small number added to the root, or within it.
    double eps = 1e-8;
    /// Whether eps is added within the root.
    bool eps_inside_sqrt = false;
};

/// RMSprop: ms = alpha ms + (1 - alpha) g^2;  p -= lr g / (sqrt(ms) + eps), or lr g / sqrt(ms +
/// eps) with eps_inside_sqrt
class RMSprop : public Optimizer {
public:
    /// A rule with these options.
    explicit RMSprop(const RMSpropOptions& options = {})
        : lr(options.lr, "lr"),
          alpha(options.alpha, "alpha"),
          eps(options.eps, "eps"),
          eps_inside_sqrt_(options.eps_inside_sqrt) {}
    /// A rule with the step size `lr`.
    explicit RMSprop(double lr, double alpha = RMSpropOptions().alpha,
                     double eps = RMSpropOptions().eps)
        : RMSprop(RMSpropOptions{.lr = lr, .alpha = alpha, .eps = eps}) {}
    std::string type_name() const override { return "RMSprop"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"ms"}; }
    std::vector<Cell> hyperparameters() const override { return {lr, alpha, eps}; }
    /// Whether eps is added within the root.
    bool eps_inside_sqrt() const { return eps_inside_sqrt_; }
    /// The hyperparameters, which may be assigned at any time.
    Cell lr, alpha, eps;

protected:
    void update_group(const UpdateGroup& group) override;

private:
    bool eps_inside_sqrt_;
};

/// Options of RMSpropGraves.
struct RMSpropGravesOptions {
    /// The step size.
    double lr = 1e-4;
    /// The share of the means that an update keeps.
    double alpha = 0.95;
    /// The share of the last step that is added to the present one.
    double momentum = 0.9;
    /// A small number added within the root.
    double eps = 1e-4;
};

/// Alex Graves's form, https://arxiv.org/abs/1308.0850: the gradient is divided by its deviation.
///
/// n = alpha n + (1 - alpha) g^2;  m = alpha m + (1 - alpha) g
/// delta = momentum delta - lr g / sqrt(n - m^2 + eps);  p += delta
///
/// m is called "g" in files.
class RMSpropGraves : public Optimizer {
public:
    /// A rule with these options.
    explicit RMSpropGraves(const RMSpropGravesOptions& options = {})
        : lr(options.lr, "lr"),
          alpha(options.alpha, "alpha"),
          momentum(options.momentum, "momentum"),
          eps(options.eps, "eps") {}
    /// A rule with the step size `lr`.
    explicit RMSpropGraves(double lr, double alpha = RMSpropGravesOptions().alpha,
                           double momentum = RMSpropGravesOptions().momentum,
                           double eps = RMSpropGravesOptions().eps)
        : RMSpropGraves(
              RMSpropGravesOptions{.lr = lr, .alpha = alpha, .momentum = momentum, .eps = eps}) {}
    std::string type_name() const override { return "RMSpropGraves"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"n", "g", "delta"}; }
    std::vector<Cell> hyperparameters() const override { return {lr, alpha, momentum, eps}; }
    /// The hyperparameters, which may be assigned at any time.
    Cell lr, alpha, momentum, eps;

protected:
    void update_group(const UpdateGroup& group) override;
};

}  // namespace catena
