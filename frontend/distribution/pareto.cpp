#include "frontend/distribution/pareto.h"

#include <cmath>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"

namespace catena::distributions {
namespace {

const bool pareto_is_known = register_kl<Pareto, Pareto>([](const Pareto& p, const Pareto& q) {
    const Variable y = q.alpha() * (log(p.scale()) - log(q.scale())) + log(p.alpha()) -
                       log(q.alpha()) + (q.alpha() - p.alpha()) / p.alpha();
    return where(p.scale() >= q.scale(), y, INFINITY);
});

}  // namespace

Pareto::Pareto(const Operand& scale, const Operand& alpha) : scale_(scale), alpha_(alpha) {
    set_shapes(set_parameters("Pareto", {{"scale", &scale_}, {"alpha", &alpha_}}), {});
}

std::map<std::string, Variable> Pareto::params() const {
    return {{"scale", scale_}, {"alpha", alpha_}};
}

Variable Pareto::log_prob(const Operand& x) const {
    const Variable v = value(x);
    return where(v >= scale_, log(alpha_) + alpha_ * log(scale_) - (alpha_ + 1) * log(v),
                 -INFINITY);
}

Variable Pareto::entropy() const { return log(scale_) - log(alpha_) + 1 / alpha_ + 1; }
Variable Pareto::mean() const {
    return where(alpha_ > 1, alpha_ * scale_ / (alpha_ - 1), INFINITY);
}
Variable Pareto::variance() const {
    return where(alpha_ > 2, square(scale_) * alpha_ / (square(alpha_ - 1) * (alpha_ - 2)),
                 INFINITY);
}
Variable Pareto::draw(const Shape& shape) const {
    return scale_ * exp(draws::exponential(shape, dtype()) / alpha_);
}

}  // namespace catena::distributions
