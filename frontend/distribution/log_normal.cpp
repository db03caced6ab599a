#include "frontend/distribution/log_normal.h"

#include "frontend/distribution/base/constants.h"
#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"

namespace catena::distributions {
namespace {

const bool log_normal_is_known =
    register_kl<LogNormal, LogNormal>([](const LogNormal& p, const LogNormal& q) {
        const Variable ratio = (square(p.mu() - q.mu()) + square(p.sigma())) / square(q.sigma());
        return ratio * 0.5 - 0.5 + log(q.sigma()) - log(p.sigma());
    });

}  // namespace

LogNormal::LogNormal(const Operand& mu, const Operand& sigma) : mu_(mu), sigma_(sigma) {
    set_shapes(set_parameters("LogNormal", {{"mu", &mu_}, {"sigma", &sigma_}}), {});
}

std::map<std::string, Variable> LogNormal::params() const {
    return {{"mu", mu_}, {"sigma", sigma_}};
}

Variable LogNormal::log_prob(const Operand& x) const {
    const Variable log_x = log(value(x)), z = (log_x - mu_) / sigma_;
    return z * z * -0.5 - log(sigma_) - log_x - half_log_two_pi;
}

Variable LogNormal::entropy() const { return log(sigma_) + mu_ + (half_log_two_pi + 0.5); }
Variable LogNormal::mean() const { return exp(mu_ + square(sigma_) * 0.5); }
Variable LogNormal::variance() const {
    return exp(mu_ * 2 + square(sigma_)) * expm1(square(sigma_));
}
Variable LogNormal::draw(const Shape& shape) const {
    return exp(mu_ + sigma_ * draws::normal(shape, dtype()));
}

}  // namespace catena::distributions
