#include "frontend/distribution/discrete/one_hot_categorical.h"

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "runtime/ops/math/weighted.h"

namespace catena::distributions {
namespace {

const bool one_hot_categorical_is_known = register_kl<OneHotCategorical, OneHotCategorical>(
    [](const OneHotCategorical& p, const OneHotCategorical& q) {
        return sum(weighted(p.p(), p.log_p() - q.log_p()), -1);
    });

}  // namespace

OneHotCategorical::OneHotCategorical(const Operand& p) : p_(p) {
    const Shape shape = set_parameters("OneHotCategorical", {{"p", &p_}});
    if (shape.rank() == 0)
        fail<ShapeError>("OneHotCategorical: p is a scalar, its last axis should be the classes");
    set_batch_and_event(shape, 1);
    log_p_ = log(p_);
}

std::map<std::string, Variable> OneHotCategorical::params() const { return {{"p", p_}}; }

Variable OneHotCategorical::log_prob(const Operand& x) const {
    return sum(weighted(value(x), log_p_), -1);
}

Variable OneHotCategorical::variance() const { return p_ * (1 - p_); }
Variable OneHotCategorical::draw(const Shape& shape) const {
    Shape of_classes;
    for (int i = 0; i + 1 < shape.rank(); ++i) of_classes.push_back(shape[i]);
    return one_hot(draws::categorical(log_p_, of_classes), shape[shape.rank() - 1], dtype());
}

}  // namespace catena::distributions
