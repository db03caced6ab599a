#include "frontend/distribution/gamma.h"

#include <cmath>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

const bool gamma_is_known = register_kl<Gamma, Gamma>([](const Gamma& p, const Gamma& q) {
    return (p.k() - q.k()) * digamma(p.k()) - lgamma(p.k()) + lgamma(q.k()) +
           q.k() * (log(q.theta()) - log(p.theta())) + p.k() * (p.theta() / q.theta() - 1);
});

}  // namespace

Gamma::Gamma(const Operand& k, const Operand& theta) : k_(k), theta_(theta) {
    set_shapes(set_parameters("Gamma", {{"k", &k_}, {"theta", &theta_}}), {});
}

std::map<std::string, Variable> Gamma::params() const { return {{"k", k_}, {"theta", theta_}}; }

Variable Gamma::log_prob(const Operand& x) const {
    const Variable v = value(x);
    const Variable y = (k_ - 1) * log(v) - v / theta_ - lgamma(k_) - k_ * log(theta_);
    return where(v >= 0, y, -INFINITY);
}

Variable Gamma::entropy() const { return k_ + log(theta_) + lgamma(k_) + (1 - k_) * digamma(k_); }
Variable Gamma::mean() const { return k_ * theta_; }
Variable Gamma::variance() const { return k_ * square(theta_); }
Variable Gamma::draw(const Shape& shape) const { return theta_ * draws::gamma(k_, shape); }

}  // namespace catena::distributions
