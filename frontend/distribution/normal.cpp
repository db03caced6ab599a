#include "frontend/distribution/normal.h"

#include "frontend/distribution/base/constants.h"
#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/special.h"

namespace catena::distributions {
namespace {

const bool normal_is_known = register_kl<Normal, Normal>([](const Normal& p, const Normal& q) {
    const Variable ratio = (p.variance() + square(p.loc() - q.loc())) / q.variance();
    return q.log_scale() - p.log_scale() + ratio * 0.5 - 0.5;
});

}  // namespace

Normal::Normal(const Operand& loc, const Operand& scale) : loc_(loc), scale_(scale) {
    set_shapes(set_parameters("Normal", {{"loc", &loc_}, {"scale", &scale_}}), {});
    log_scale_ = log(scale_);
}

Normal Normal::with_log_scale(const Operand& loc, const Operand& log_scale) {
    Normal made;
    made.loc_ = loc;
    made.log_scale_ = log_scale;
    made.set_shapes(
        made.set_parameters("Normal", {{"loc", &made.loc_}, {"log_scale", &made.log_scale_}}), {});
    made.scale_ = exp(made.log_scale_);
    return made;
}

std::map<std::string, Variable> Normal::params() const {
    return {{"loc", loc_}, {"scale", scale_}};
}

Variable Normal::log_prob(const Operand& x) const {
    const Variable z = (value(x) - loc_) / scale_;
    return z * z * -0.5 - log_scale_ - half_log_two_pi;
}
Variable Normal::cdf(const Operand& x) const { return ndtr((value(x) - loc_) / scale_); }
Variable Normal::icdf(const Operand& x) const { return loc_ + scale_ * ndtri(x); }
Variable Normal::log_cdf(const Operand& x) const { return log_ndtr((value(x) - loc_) / scale_); }
Variable Normal::survival_function(const Operand& x) const {
    return ndtr((loc_ - value(x)) / scale_);
}
Variable Normal::log_survival_function(const Operand& x) const {
    return log_ndtr((loc_ - value(x)) / scale_);
}

Variable Normal::entropy() const { return log_scale_ + (half_log_two_pi + 0.5); }
Variable Normal::variance() const { return square(scale_); }
Variable Normal::draw(const Shape& shape) const {
    return loc_ + scale_ * draws::normal(shape, dtype());
}

}  // namespace catena::distributions
