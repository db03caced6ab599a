#include "frontend/distribution/discrete/bernoulli.h"

#include <cmath>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/weighted.h"

namespace catena::distributions {
namespace {

/// x log x, 0 at 0.
Variable x_log_x(const Variable& x) { return x * log(where(x == 0, 1, x)); }
Variable is_infinite(const Variable& x) { return absolute(x) == INFINITY; }

const bool bernoulli_is_known =
    register_kl<Bernoulli, Bernoulli>([](const Bernoulli& p, const Bernoulli& q) {
        const Variable cross =
            weighted(p.p(), softplus(-q.logit())) + weighted(1 - p.p(), softplus(q.logit()));
        return cross + x_log_x(p.p()) + x_log_x(1 - p.p());
    });

}  // namespace

Bernoulli::Bernoulli(const Operand& p, bool binary_check) : p_(p), binary_check_(binary_check) {
    set_shapes(set_parameters("Bernoulli", {{"p", &p_}}), {});
    logit_ = log(p_) - log1p(-p_);
}
Bernoulli Bernoulli::with_logit(const Operand& logit, bool binary_check) {
    Bernoulli made(binary_check);
    made.logit_ = logit;
    made.set_shapes(made.set_parameters("Bernoulli", {{"logit", &made.logit_}}), {});
    made.p_ = sigmoid(made.logit_);
    return made;
}

std::map<std::string, Variable> Bernoulli::params() const { return {{"logit", logit_}}; }

Variable Bernoulli::only_binary(const Variable& y, const Variable& x, double otherwise) const {
    return binary_check_ ? where(x == 0 || x == 1, y, otherwise) : y;
}
// An infinite logit is certainty.
Variable Bernoulli::log_prob(const Operand& x) const {
    const Variable v = value(x), finite = where(is_infinite(logit_), 0, logit_);
    const Variable certain = where(logit_ > 0, log(v), log1p(-v));
    return only_binary(where(is_infinite(logit_), certain, finite * (v - 1) - softplus(-finite)), v,
                       -INFINITY);
}
Variable Bernoulli::prob(const Operand& x) const {
    const Variable v = value(x);
    return only_binary(v * p_ + (1 - v) * (1 - p_), v, 0);
}

Variable Bernoulli::entropy() const { return -x_log_x(p_) - x_log_x(1 - p_); }
Variable Bernoulli::variance() const { return p_ * (1 - p_); }
Variable Bernoulli::draw(const Shape& shape) const {
    return cast(draws::uniform(shape, dtype()) < p_, Dtype::int64);
}

}  // namespace catena::distributions
