#include "frontend/distribution/independent.h"

#include "frontend/distribution/base/divergence.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::distributions {
namespace {

Axes last_axes(int count) {
    Axes axes;
    for (int i = count; i > 0; --i) axes.push_back(-i);
    return axes;
}

const bool independent_is_known =
    register_kl<Independent, Independent>([](const Independent& p, const Independent& q) {
        if (p.event_shape() != q.event_shape() ||
            p.reinterpreted_batch_ndims() != q.reinterpreted_batch_ndims())
            fail<ShapeError>(
                "kl_divergence: the events of two Independent are {} and {}, of {} and {} axes of "
                "the batch",
                to_string(p.event_shape()), to_string(q.event_shape()),
                p.reinterpreted_batch_ndims(), q.reinterpreted_batch_ndims());
        return p.summed(kl_divergence(p.distribution(), q.distribution()));
    });

}  // namespace

Independent::Independent(std::shared_ptr<const Distribution> distribution,
                         std::optional<int> reinterpreted_batch_ndims)
    : base_(std::move(distribution)) {
    const Shape& batch = base_->batch_shape();
    axes_ = reinterpreted_batch_ndims.value_or(std::max(0, batch.rank() - 1));
    if (axes_ < 0 || axes_ > batch.rank())
        fail<ValueError>("Independent: {} of the axes of a batch {}", axes_, to_string(batch));
    Shape all = batch;
    for (int64_t size : base_->event_shape()) all.push_back(size);
    Variable like = base_->params().begin()->second;
    set_parameters("Independent", {{"distribution", &like}});
    set_batch_and_event(all, axes_ + base_->event_shape().rank());
}

Variable Independent::summed(const Variable& y) const {
    return axes_ == 0 ? y : sum(y, last_axes(axes_));
}
Variable Independent::multiplied(const Variable& y) const {
    return axes_ == 0 ? y : prod(y, last_axes(axes_));
}

Variable Independent::log_prob(const Operand& x) const { return summed(base_->log_prob(x)); }
Variable Independent::prob(const Operand& x) const { return multiplied(base_->prob(x)); }
Variable Independent::cdf(const Operand& x) const { return multiplied(base_->cdf(x)); }
Variable Independent::log_cdf(const Operand& x) const { return summed(base_->log_cdf(x)); }
Variable Independent::survival_function(const Operand& x) const {
    return multiplied(base_->survival_function(x));
}
Variable Independent::log_survival_function(const Operand& x) const {
    return summed(base_->log_survival_function(x));
}
Variable Independent::perplexity(const Operand& x) const {
    return multiplied(base_->perplexity(x));
}
Variable Independent::entropy() const { return summed(base_->entropy()); }

Variable Independent::covariance() const {
    const bool of_numbers = base_->event_shape().rank() == 0;
    const int64_t dim = element_count(base_->event_shape()),
                  count = element_count(event_shape()) / std::max<int64_t>(1, dim);
    const Variable block = of_numbers ? base_->variance() : base_->covariance();
    Shape blocks = batch_shape(), whole = batch_shape();
    for (int64_t size : {count, dim, int64_t(1), dim}) blocks.push_back(size);
    for (int i = 0; i < 2; ++i) whole.push_back(count * dim);
    std::vector<double> unit(size_t(count * count), 0);
    for (int64_t i = 0; i < count; ++i) unit[size_t(i * (count + 1))] = 1;
    const Variable here(Array::from(unit, {count, 1, count, 1}).astype(dtype()).to(block.device()),
                        false);
    return reshape(reshape(block, blocks) * here, whole);
}

Variable Independent::draw(const Shape& shape) const {
    Shape drawn;
    const int own = batch_shape().rank() + event_shape().rank();
    for (int i = 0; i < shape.rank() - own; ++i) drawn.push_back(shape[i]);
    return base_->sample(drawn);
}

}  // namespace catena::distributions
