#include "frontend/distribution/exponential.h"

#include <cmath>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"

namespace catena::distributions {
namespace {

const bool exponential_is_known =
    register_kl<Exponential, Exponential>([](const Exponential& p, const Exponential& q) {
        return log(p.lam()) - log(q.lam()) + q.lam() / p.lam() - 1;
    });

}  // namespace

Exponential::Exponential(const Operand& lam) : lam_(lam) {
    set_shapes(set_parameters("Exponential", {{"lam", &lam_}}), {});
}

std::map<std::string, Variable> Exponential::params() const { return {{"lam", lam_}}; }

Variable Exponential::log_prob(const Operand& x) const {
    const Variable v = value(x);
    return where(v >= 0, log(lam_) - lam_ * v, -INFINITY);
}
Variable Exponential::cdf(const Operand& x) const { return -expm1(-lam_ * maximum(value(x), 0)); }
Variable Exponential::icdf(const Operand& x) const { return -log1p(-value(x)) / lam_; }

Variable Exponential::entropy() const { return 1 - log(lam_); }
Variable Exponential::mean() const { return 1 / lam_; }
Variable Exponential::variance() const { return square(1 / lam_); }
Variable Exponential::draw(const Shape& shape) const {
    return draws::exponential(shape, dtype()) / lam_;
}

}  // namespace catena::distributions
