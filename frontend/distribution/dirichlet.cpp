#include "frontend/distribution/dirichlet.h"

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

/// The logarithm of the density's divisor.
Variable log_beta(const Variable& alpha) { return sum(lgamma(alpha), -1) - lgamma(sum(alpha, -1)); }

const bool dirichlet_is_known =
    register_kl<Dirichlet, Dirichlet>([](const Dirichlet& p, const Dirichlet& q) {
        const Variable expected_log = digamma(p.alpha()) - expand_dims(digamma(p.alpha0()), -1);
        return log_beta(q.alpha()) - log_beta(p.alpha()) +
               sum((p.alpha() - q.alpha()) * expected_log, -1);
    });

}  // namespace

Dirichlet::Dirichlet(const Operand& alpha) : alpha_(alpha) {
    const Shape shape = set_parameters("Dirichlet", {{"alpha", &alpha_}});
    if (shape.rank() == 0)
        fail<ShapeError>("Dirichlet: alpha is a scalar, its last axis should be the event");
    set_batch_and_event(shape, 1);
}

std::map<std::string, Variable> Dirichlet::params() const { return {{"alpha", alpha_}}; }

Variable Dirichlet::alpha0() const { return sum(alpha_, -1); }

Variable Dirichlet::log_prob(const Operand& x) const {
    return sum((alpha_ - 1) * log(value(x)), -1) - log_beta(alpha_);
}

Variable Dirichlet::entropy() const {
    const Variable total = alpha0();
    return log_beta(alpha_) + (total - double(event_shape()[0])) * digamma(total) -
           sum((alpha_ - 1) * digamma(alpha_), -1);
}
Variable Dirichlet::mean() const { return alpha_ / expand_dims(alpha0(), -1); }
Variable Dirichlet::variance() const {
    const Variable total = expand_dims(alpha0(), -1);
    return alpha_ * (total - alpha_) / (square(total) * (total + 1));
}
Variable Dirichlet::draw(const Shape& shape) const {
    const Variable x = draws::gamma(alpha_, shape);
    return x / sum(x, -1, true);
}

}  // namespace catena::distributions
