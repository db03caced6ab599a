#include "frontend/distribution/discrete/categorical.h"

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/weighted.h"

namespace catena::distributions {
namespace {

const bool categorical_is_known =
    register_kl<Categorical, Categorical>([](const Categorical& p, const Categorical& q) {
        return sum(weighted(p.p(), p.log_p() - q.log_p()), -1);
    });

}  // namespace

Categorical::Categorical(const Operand& p) : p_(p) {
    const Shape shape = set_parameters("Categorical", {{"p", &p_}});
    if (shape.rank() == 0)
        fail<ShapeError>("Categorical: p is a scalar, its last axis should be the classes");
    set_batch_and_event(shape, 1);
    set_shapes(batch_shape(), {});
    log_p_ = log(p_);
}
Categorical Categorical::with_logit(const Operand& logit) {
    const Variable log_p = log_softmax(logit, -1);
    Categorical made(exp(log_p));
    made.log_p_ = log_p;
    return made;
}

std::map<std::string, Variable> Categorical::params() const { return {{"p", p_}}; }

Variable Categorical::log_prob(const Operand& x) const {
    const Variable at = expand_dims(cast(x, Dtype::int64), -1);
    Shape shape = at.shape();
    shape[shape.rank() - 1] = p_.shape()[p_.rank() - 1];
    return squeeze(take_along_axis(broadcast_to(log_p_, shape), at, -1), {-1});
}

Variable Categorical::entropy() const { return -sum(p_ * log(where(p_ == 0, 1, p_)), -1); }
Variable Categorical::draw(const Shape& shape) const { return draws::categorical(log_p_, shape); }

}  // namespace catena::distributions
