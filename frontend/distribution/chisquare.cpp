#include "frontend/distribution/chisquare.h"

#include <numbers>

#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {

Chisquare::Chisquare(const Operand& k) : k_(k) {
    set_shapes(set_parameters("Chisquare", {{"k", &k_}}), {});
}

std::map<std::string, Variable> Chisquare::params() const { return {{"k", k_}}; }

Variable Chisquare::log_prob(const Operand& x) const {
    const Variable v = value(x), half = k_ * 0.5;
    return (half - 1) * log(v) - v * 0.5 - lgamma(half) - half * std::numbers::ln2;
}

Variable Chisquare::entropy() const {
    const Variable half = k_ * 0.5;
    return half + lgamma(half) + (1 - half) * digamma(half) + std::numbers::ln2;
}
Variable Chisquare::variance() const { return k_ * 2; }
Variable Chisquare::draw(const Shape& shape) const { return draws::gamma(k_ * 0.5, shape) * 2; }

}  // namespace catena::distributions
