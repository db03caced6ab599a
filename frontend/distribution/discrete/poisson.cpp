#include "frontend/distribution/discrete/poisson.h"

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

const bool poisson_is_known = register_kl<Poisson, Poisson>([](const Poisson& p, const Poisson& q) {
    return p.lam() * (log(p.lam()) - log(q.lam())) - p.lam() + q.lam();
});

}  // namespace

Poisson::Poisson(const Operand& lam) : lam_(lam) {
    set_shapes(set_parameters("Poisson", {{"lam", &lam_}}), {});
}

std::map<std::string, Variable> Poisson::params() const { return {{"lam", lam_}}; }

Variable Poisson::log_prob(const Operand& x) const {
    const Variable v = value(x);
    return v * log(lam_) - lgamma(v + 1) - lam_;
}

Variable Poisson::draw(const Shape& shape) const { return draws::poisson(lam_, shape); }

}  // namespace catena::distributions
