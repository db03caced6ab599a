#include "frontend/distribution/discrete/geometric.h"

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/math/math.h"

namespace catena::distributions {
namespace {

const bool geometric_is_known =
    register_kl<Geometric, Geometric>([](const Geometric& p, const Geometric& q) {
        return (1 / p.p() - 1) * (log1p(-p.p()) - log1p(-q.p())) + log(p.p()) - log(q.p());
    });

}  // namespace

Geometric::Geometric(const Operand& p) : p_(p) {
    set_shapes(set_parameters("Geometric", {{"p", &p_}}), {});
}

std::map<std::string, Variable> Geometric::params() const { return {{"p", p_}}; }

Variable Geometric::log_prob(const Operand& x) const {
    return (value(x) - 1) * log1p(-p_) + log(p_);
}

Variable Geometric::mean() const { return 1 / p_; }
Variable Geometric::variance() const { return (1 - p_) / square(p_); }
// The cdf at k is 1 - (1 - p)^k.
Variable Geometric::draw(const Shape& shape) const {
    const auto mode = no_backprop_mode();
    return floor(-draws::exponential(shape, dtype()) / log1p(-p_)) + 1;
}

}  // namespace catena::distributions
