#include "frontend/distribution/uniform.h"

#include <cmath>

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/math/math.h"

namespace catena::distributions {
namespace {

const bool uniform_is_known = register_kl<Uniform, Uniform>([](const Uniform& p, const Uniform& q) {
    return where(p.high() > q.high() || p.low() < q.low(), INFINITY,
                 log(q.scale()) - log(p.scale()));
});

}  // namespace

Uniform::Uniform(const Operand& low, const Operand& high) : low_(low), high_(high) {
    set_shapes(set_parameters("Uniform", {{"low", &low_}, {"high", &high_}}), {});
}
Uniform Uniform::with_loc_scale(const Operand& loc, const Operand& scale) {
    Uniform made;
    made.low_ = loc;
    made.scale_ = scale;
    made.set_shapes(made.set_parameters("Uniform", {{"loc", &made.low_}, {"scale", &made.scale_}}),
                    {});
    made.high_ = made.low_ + made.scale_;
    return made;
}

std::map<std::string, Variable> Uniform::params() const {
    if (scale_.defined()) return {{"loc", low_}, {"scale", scale_}};
    return {{"low", low_}, {"high", high_}};
}

// The difference of large ends would have lost most digits of a small scale.
Variable Uniform::scale() const { return scale_.defined() ? scale_ : high_ - low_; }

Variable Uniform::log_prob(const Operand& x) const {
    const Variable v = value(x);
    return where(v >= low_ && v <= high_, -log(scale()), -INFINITY);
}
Variable Uniform::cdf(const Operand& x) const { return clip((value(x) - low_) / scale(), 0, 1); }
Variable Uniform::icdf(const Operand& x) const { return low_ + scale() * value(x); }

Variable Uniform::entropy() const { return log(scale()); }
Variable Uniform::mean() const { return (low_ + high_) * 0.5; }
Variable Uniform::variance() const { return square(scale()) * (1.0 / 12); }
Variable Uniform::draw(const Shape& shape) const { return icdf(draws::uniform(shape, dtype())); }

}  // namespace catena::distributions
