#include "frontend/distribution/multivariate_normal.h"

#include "frontend/distribution/base/constants.h"
#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/base/draws.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/blocks.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/linalg.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::distributions {
namespace {

Variable lower_triangle(const Variable& L) {
    const int64_t d = L.shape()[L.rank() - 1];
    std::vector<double> within;
    for (int64_t i = 0; i < d * d; ++i) within.push_back(i % d <= i / d);
    return where(Variable(Array::from(within, {d, d}).astype(Dtype::bool_).to(L.device()), false),
                 L, 0);
}

const bool multivariate_normal_is_known = register_kl<MultivariateNormal, MultivariateNormal>(
    [](const MultivariateNormal& p, const MultivariateNormal& q) {
        const Variable inverse = inv(q.scale_tril());
        const Variable trace = sum(square(matmul(inverse, p.scale_tril())), {-2, -1});
        const Variable distance =
            sum(square(matmul(inverse, expand_dims(p.loc() - q.loc(), -1))), {-2, -1});
        return q.log_det_scale() - p.log_det_scale() + (trace + distance) * 0.5 -
               0.5 * double(p.d());
    });

}  // namespace

MultivariateNormal::MultivariateNormal(const Operand& loc, const Operand& scale_tril)
    : loc_(loc), scale_tril_(scale_tril) {
    const Shape of_L = scale_tril_.shape();
    Shape shape;
    for (int i = 0; i + 1 < of_L.rank(); ++i) shape.push_back(of_L[i]);
    if (of_L.rank() < 2 || loc_.rank() < 1 || of_L[of_L.rank() - 2] != of_L[of_L.rank() - 1] ||
        loc_.shape()[loc_.rank() - 1] != of_L[of_L.rank() - 1] ||
        !broadcast_shapes(loc_.shape(), Shape(shape), shape))
        fail<ShapeError>(
            "MultivariateNormal: loc should be [...,d] and scale_tril [...,d,d], they are {} and "
            "{}",
            to_string(loc_.shape()), to_string(of_L));
    if (loc_.dtype() != scale_tril_.dtype())
        fail<DtypeError>("MultivariateNormal: loc is {}, scale_tril is {}; dtypes must be equal",
                         name_of(loc_.dtype()), name_of(scale_tril_.dtype()));
    loc_ = broadcast_to(loc_, shape);
    set_batch_and_event(set_parameters("MultivariateNormal", {{"loc", &loc_}}), 1);
    shape.push_back(d());
    scale_tril_ = broadcast_to(lower_triangle(scale_tril_), shape);
}

std::map<std::string, Variable> MultivariateNormal::params() const {
    return {{"loc", loc_}, {"scale_tril", scale_tril_}};
}

Variable MultivariateNormal::log_det_scale() const {
    return sum(log(absolute(diagonal(scale_tril_, 0, -2, -1))), -1);
}

Variable MultivariateNormal::log_prob(const Operand& x) const {
    const Variable z = matmul(inv(scale_tril_), expand_dims(value(x) - loc_, -1));
    return sum(square(z), {-2, -1}) * -0.5 - log_det_scale() - half_log_two_pi * double(d());
}

Variable MultivariateNormal::entropy() const {
    return log_det_scale() + (half_log_two_pi + 0.5) * double(d());
}
Variable MultivariateNormal::variance() const { return sum(square(scale_tril_), -1); }
Variable MultivariateNormal::covariance() const {
    return matmul(scale_tril_, scale_tril_, false, true);
}
Variable MultivariateNormal::draw(const Shape& shape) const {
    return loc_ +
           squeeze(matmul(scale_tril_, expand_dims(draws::normal(shape, dtype()), -1)), {-1});
}

}  // namespace catena::distributions
