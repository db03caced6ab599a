#include "frontend/distribution/laplace.h"

#include <numbers>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"

namespace catena::distributions {
namespace {

const bool laplace_is_known = register_kl<Laplace, Laplace>([](const Laplace& p, const Laplace& q) {
    const Variable distance = absolute(p.loc() - q.loc());
    return log(q.scale()) - log(p.scale()) + distance / q.scale() +
           p.scale() / q.scale() * exp(-distance / p.scale()) - 1;
});

}  // namespace

Laplace::Laplace(const Operand& loc, const Operand& scale) : loc_(loc), scale_(scale) {
    set_shapes(set_parameters("Laplace", {{"loc", &loc_}, {"scale", &scale_}}), {});
}

std::map<std::string, Variable> Laplace::params() const {
    return {{"loc", loc_}, {"scale", scale_}};
}

Variable Laplace::log_prob(const Operand& x) const {
    return -log(scale_ * 2) - absolute(value(x) - loc_) / scale_;
}
Variable Laplace::cdf(const Operand& x) const {
    // Not of |z|, whose gradient at 0 is 0: there is one in the middle, too.
    const Variable z = (value(x) - loc_) / scale_;
    return where(z < 0, exp(minimum(z, 0)) * 0.5, 1 - exp(-maximum(z, 0)) * 0.5);
}
Variable Laplace::icdf(const Operand& x) const {
    const Variable h = value(x) - 0.5;
    return loc_ + scale_ * where(h < 0, log1p(minimum(h, 0) * 2), -log1p(maximum(h, 0) * -2));
}

Variable Laplace::entropy() const { return log(scale_ * 2) + 1; }
Variable Laplace::variance() const { return square(scale_) * 2; }
Variable Laplace::stddev() const { return scale_ * std::numbers::sqrt2; }
Variable Laplace::draw(const Shape& shape) const { return icdf(draws::uniform(shape, dtype())); }

}  // namespace catena::distributions
