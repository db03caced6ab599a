#include "frontend/distribution/base/distribution.h"

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"

namespace catena {

Variable Distribution::sample(const Shape& sample_shape) const {
    Shape shape = sample_shape;
    for (int64_t size : batch_shape_) shape.push_back(size);
    for (int64_t size : event_shape_) shape.push_back(size);
    const DeviceScope beside(*device_);
    return draw(shape);
}

Variable Distribution::prob(const Operand& x) const { return exp(log_prob(x)); }
Variable Distribution::cdf(const Operand&) const { undefined("cdf"); }
Variable Distribution::icdf(const Operand&) const { undefined("icdf"); }
Variable Distribution::log_cdf(const Operand& x) const { return log(cdf(x)); }
Variable Distribution::survival_function(const Operand& x) const { return 1 - cdf(x); }
Variable Distribution::log_survival_function(const Operand& x) const { return log1p(-cdf(x)); }
Variable Distribution::perplexity(const Operand& x) const { return exp(-log_prob(x)); }

Variable Distribution::entropy() const { undefined("entropy"); }
Variable Distribution::mean() const { undefined("mean"); }
Variable Distribution::mode() const { undefined("mode"); }
Variable Distribution::variance() const { undefined("variance"); }
Variable Distribution::stddev() const { return sqrt(variance()); }
Variable Distribution::covariance() const { undefined("covariance"); }

void Distribution::undefined(const char* what) const {
    fail<ValueError>("{}: its {} is not defined or has no closed form", name(), what);
}

Shape Distribution::set_parameters(
    const char* name, std::initializer_list<std::pair<const char*, Variable*>> parameters) {
    const auto& [first_name, first] = *parameters.begin();
    Shape common;
    for (const auto& [parameter, x] : parameters) {
        if (!is_float(x->dtype()))
            fail<DtypeError>("{}: {} should be floating point, it is {}", name, parameter,
                             to_string(x->type()));
        if (x->dtype() != first->dtype())
            fail<DtypeError>("{}: {} is {}, {} is {}; dtypes must be equal", name, first_name,
                             name_of(first->dtype()), parameter, name_of(x->dtype()));
        const Shape before = common;
        if (!broadcast_shapes(before, x->shape(), common))
            fail<ShapeError>("{}: {} {} does not broadcast with the other parameters, {}", name,
                             parameter, to_string(x->shape()), to_string(before));
    }
    for (const auto& [parameter, x] : parameters)
        if (x->shape() != common) *x = broadcast_to(*x, common);
    dtype_ = first->dtype();
    device_ = &first->device();
    return common;
}

void Distribution::set_shapes(const Shape& batch, const Shape& event) {
    batch_shape_ = batch;
    event_shape_ = event;
}

void Distribution::set_batch_and_event(const Shape& shape, int event_axes) {
    Shape batch, event;
    for (int i = 0; i < shape.rank(); ++i)
        (i < shape.rank() - event_axes ? batch : event).push_back(shape[i]);
    set_shapes(batch, event);
}

Variable Distribution::value(const Operand& x) const {
    const Variable& given = x;
    return is_float(given.dtype()) ? given : cast(given, dtype_);
}

}  // namespace catena
