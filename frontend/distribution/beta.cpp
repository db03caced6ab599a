#include "frontend/distribution/beta.h"

#include <cmath>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

Variable log_beta_of_two(const Variable& a, const Variable& b) {
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

const bool beta_is_known = register_kl<Beta, Beta>([](const Beta& p, const Beta& q) {
    const Variable of_p = p.a() + p.b(), of_q = q.a() + q.b();
    return log_beta_of_two(q.a(), q.b()) - log_beta_of_two(p.a(), p.b()) +
           (p.a() - q.a()) * digamma(p.a()) + (p.b() - q.b()) * digamma(p.b()) +
           (of_q - of_p) * digamma(of_p);
});

}  // namespace

Beta::Beta(const Operand& a, const Operand& b) : a_(a), b_(b) {
    set_shapes(set_parameters("Beta", {{"a", &a_}, {"b", &b_}}), {});
}

std::map<std::string, Variable> Beta::params() const { return {{"a", a_}, {"b", b_}}; }

Variable Beta::log_prob(const Operand& x) const {
    const Variable v = value(x);
    const Variable y = (a_ - 1) * log(v) + (b_ - 1) * log1p(-v) - log_beta_of_two(a_, b_);
    return where(v >= 0 && v <= 1, y, -INFINITY);
}

Variable Beta::entropy() const {
    const Variable both = a_ + b_;
    return log_beta_of_two(a_, b_) - (a_ - 1) * digamma(a_) - (b_ - 1) * digamma(b_) +
           (both - 2) * digamma(both);
}
Variable Beta::mean() const { return a_ / (a_ + b_); }
Variable Beta::variance() const {
    const Variable both = a_ + b_;
    return a_ * b_ / (square(both) * (both + 1));
}
Variable Beta::draw(const Shape& shape) const {
    const Variable x = draws::gamma(a_, shape), y = draws::gamma(b_, shape);
    return x / (x + y);
}

}  // namespace catena::distributions
