#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// Simon Funk's SMORMS3, http://sifter.org/~simon/journal/20150420.html:
/// r = 1 / (mem + 1);  m += r (g - m);  g2 += r (g^2 - g2);  x = m^2 / (g2 + eps)
/// p -= g min(x, lr) / (sqrt(g2) + eps);  mem = 1 + mem (1 - x)
///
/// mem begins at 1. m is called "g" in files.
class SMORMS3 : public Optimizer {
public:
    /// `lr` is the largest step size, `eps` a small number added to divisors.
    explicit SMORMS3(double lr = 0.001, double eps = 1e-16) : lr(lr, "lr"), eps(eps, "eps") {}
    std::string type_name() const override { return "SMORMS3"; }
    bool is_elementwise() const override { return true; }
    std::vector<std::string> moment_names() const override { return {"mem", "g", "g2"}; }
    std::vector<Cell> hyperparameters() const override { return {lr, eps}; }
    /// The hyperparameters, which may be assigned at any time.
    Cell lr, eps;

protected:
    void update_group(const UpdateGroup& group) override;
    Array first_moment(const std::string& name, const Type& type) const override;
};

}  // namespace catena
