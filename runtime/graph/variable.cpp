#include "runtime/graph/variable.h"

#include "runtime/core/device.h"
#include "runtime/graph/backward.h"
#include "runtime/graph/config.h"
#include "runtime/graph/node.h"
#include "runtime/graph/recorder.h"
#include "runtime/graph/unchain.h"
#include "runtime/ops/arithmetic.h"

namespace catena {
namespace {

std::string describe(const Variable& v) {
    return v.name().empty() ? to_string(v.type()) : v.name() + " " + to_string(v.type());
}

void check_gradient(const Variable& v, const Array& grad) {
    if (grad.shape() != v.shape())
        fail<ShapeError>("grad: the gradient of {} must have its shape, not {}", describe(v), to_string(grad.type()));
    if (grad.dtype() != v.dtype())
        fail<DtypeError>("grad: the gradient of {} must have its dtype, not {}", describe(v), to_string(grad.type()));
    bool shape_only = grad.device().is_meta() || v.device().is_meta();
    if (!shape_only && &grad.device() != &v.device())
        fail<DeviceError>("grad: {} is on {}, its gradient on {}", describe(v), v.device().name(), grad.device().name());
}

}  // namespace

Variable::Variable(Array array, bool requires_grad) : body_(new VariableBody) {
    body_->requires_grad = requires_grad && array.defined() && is_float(array.dtype());
    body_->array = std::move(array);
}

const Array& Variable::array() const {
    CATENA_ASSERT(body_, "an undefined Variable has no array");
    return body_->array;
}

void Variable::set_array(Array array) const {
    if (Recorder* recorder = current_recorder()) recorder->changing(*body_, Recorder::Change::content);
    bind_state(*body_, std::move(array));
    if (!body_->is_state) detach_creator(*body_);
}

bool Variable::requires_grad() const { return body_ && body_->requires_grad; }

const std::string& Variable::name() const {
    static const std::string none;
    return body_->name ? *body_->name : none;
}
void Variable::set_name(std::string name) const {
    body_->name = std::make_unique<std::string>(std::move(name));
}

Variable Variable::grad_variable() const {
    if (body_->grad_consumed)
        fail<TraceError>("grad: the gradient of {} was consumed by a compiled static_graph step; ask for it with "
                         "StaticGraphOptions::keep_grads or return it from the region",
                         describe(*this));
    return Variable(body_->grad);
}

Array Variable::grad() const {
    Variable g = grad_variable();
    return g.defined() ? g.array() : Array();
}

void Variable::set_grad(Array grad) const {
    set_grad_variable(grad.defined() ? Variable(std::move(grad), false) : Variable());
}

void Variable::set_grad_variable(Variable grad) const {
    if (grad.defined()) check_gradient(*this, grad.array());
    if (Recorder* recorder = current_recorder()) recorder->changing(*body_, Recorder::Change::gradient);
    body_->grad = grad.ref();
    body_->grad_consumed = false;
}

void Variable::cleargrad() const { set_grad_variable(Variable()); }

void Variable::addgrad(const Variable& source) const {
    Variable theirs = source.grad_variable();
    if (!theirs.defined()) return;
    Variable ours = grad_variable();
    if (&theirs.device() != &device() && !theirs.device().is_meta())
        theirs = Variable(theirs.array().to(device()), false);
    set_grad_variable(ours.defined() ? ours + theirs : theirs);
}

void Variable::backward(const BackwardOptions& options) const {
    if (!body_->creator) return;
    const DeviceScope beside(device());  // Of what gradients make out of nothing.
    Variable start = grad_variable();
    if (!start.defined()) {
        if (size() != 1)
            fail<ValueError>("backward: a variable of {} needs a gradient set first; only size 1 starts by itself",
                             to_string(type()));
        start = fill(type(), options.loss_scale);
    }
    run_backward(std::span(this, 1), std::span(&start, 1), options);
    if (!options.retain_grad) cleargrad();
}

void Variable::unchain() const { catena::unchain(*body_); }

void Variable::unchain_backward() const { unchain_history(*body_); }

}  // namespace catena
