#include "frontend/distribution/cauchy.h"

#include <cmath>
#include <numbers>

#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

Cauchy::Cauchy(const Operand& loc, const Operand& scale) : loc_(loc), scale_(scale) {
    set_shapes(set_parameters("Cauchy", {{"loc", &loc_}, {"scale", &scale_}}), {});
}

std::map<std::string, Variable> Cauchy::params() const {
    return {{"loc", loc_}, {"scale", scale_}};
}

Variable Cauchy::log_prob(const Operand& x) const {
    return log(scale_) - log(square(value(x) - loc_) + square(scale_)) - std::log(pi);
}
Variable Cauchy::cdf(const Operand& x) const {
    return arctan((value(x) - loc_) / scale_) * (1 / pi) + 0.5;
}
Variable Cauchy::icdf(const Operand& x) const { return loc_ + scale_ * tan((value(x) - 0.5) * pi); }

Variable Cauchy::entropy() const { return log(scale_ * (4 * pi)); }
Variable Cauchy::mean() const { return fill(loc_.type(), NAN); }
Variable Cauchy::variance() const { return fill(loc_.type(), NAN); }
Variable Cauchy::draw(const Shape& shape) const { return icdf(draws::uniform(shape, dtype())); }

}  // namespace catena::distributions
