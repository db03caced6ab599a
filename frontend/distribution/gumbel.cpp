#include "frontend/distribution/gumbel.h"

#include <numbers>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

constexpr double euler = std::numbers::egamma;

const bool gumbel_is_known = register_kl<Gumbel, Gumbel>([](const Gumbel& p, const Gumbel& q) {
    const Variable ratio = p.scale() / q.scale(), distance = (p.loc() - q.loc()) / q.scale();
    return log(q.scale()) - log(p.scale()) + (ratio - 1) * euler +
           exp(lgamma(ratio + 1) - distance) - 1 + distance;
});

}  // namespace

Gumbel::Gumbel(const Operand& loc, const Operand& scale) : loc_(loc), scale_(scale) {
    set_shapes(set_parameters("Gumbel", {{"loc", &loc_}, {"scale", &scale_}}), {});
}

std::map<std::string, Variable> Gumbel::params() const {
    return {{"loc", loc_}, {"scale", scale_}};
}

Variable Gumbel::log_prob(const Operand& x) const {
    const Variable z = (value(x) - loc_) / scale_;
    return -log(scale_) - z - exp(-z);
}
Variable Gumbel::cdf(const Operand& x) const { return exp(-exp((loc_ - value(x)) / scale_)); }
Variable Gumbel::icdf(const Operand& x) const { return loc_ - scale_ * log(-log(value(x))); }

Variable Gumbel::entropy() const { return log(scale_) + (euler + 1); }
Variable Gumbel::mean() const { return loc_ + scale_ * euler; }
Variable Gumbel::variance() const {
    return square(scale_) * (std::numbers::pi * std::numbers::pi / 6);
}
Variable Gumbel::draw(const Shape& shape) const {
    return loc_ + scale_ * draws::gumbel(shape, dtype());
}

}  // namespace catena::distributions
