// The gradient of a variable, as Variable offers it.
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/notice.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/variable/variable.h"

namespace catena {
namespace {

std::string describe(const Variable& v) {
    return v.name().empty() ? to_string(v.type()) : v.name() + " " + to_string(v.type());
}

void check_gradient(const Variable& v, const Array& grad) {
    if (grad.shape() != v.shape())
        fail<ShapeError>("grad: the gradient of {} must have its shape, not {}", describe(v),
                         to_string(grad.type()));
    if (grad.dtype() != v.dtype())
        fail<DtypeError>("grad: the gradient of {} must have its dtype, not {}", describe(v),
                         to_string(grad.type()));
    bool shape_only = grad.device().is_meta() || v.device().is_meta();
    if (!shape_only && &grad.device() != &v.device())
        fail<DeviceError>("grad: {} is on {}, its gradient on {}", describe(v), v.device().name(),
                          grad.device().name());
}

}  // namespace

Variable Variable::grad_variable(Caller at) const {
    VariableBody& body = there("grad", at);
    if (Recorder* recorder = current_recorder()) recorder->reads_gradient(body);
    if (body.grad_consumed)
        fail<TraceError>(
            "grad: the gradient of {} was consumed by a compiled static_graph step; give the "
            "region "
            "or the updater the option keep_grads, or return it from the region",
            describe(*this));
    return Variable(body.grad);
}

Array Variable::grad(Caller at) const {
    Variable g = grad_variable(at);
    if (g.defined()) return g.array();
    const VariableBody& body = *body_;
    if (body.requires_grad || body.is_state || !body.array.defined() || !is_float(dtype()))
        return {};
    const LocationScope scope(at);
    notice_once(
        fmt::format("grad: a {} was asked for its gradient ({}), but requires none: an array that "
                    "is passed as it is is plain data; a Variable that is made of one, as "
                    "Variable(array), requires a gradient",
                    to_string(type()), to_string(current_location())));
    return {};
}

void Variable::set_grad(Array grad, Caller at) const {
    set_grad_variable(grad.defined() ? Variable(std::move(grad), false) : Variable(), at);
}

void Variable::set_grad_variable(Variable grad, Caller at) const try {
    there("grad", at);
    if (grad.defined()) check_gradient(*this, grad.array());
    if (Recorder* recorder = current_recorder())
        recorder->changing(*body_, Recorder::Change::gradient);
    body_->grad = std::move(grad.body_);
    body_->grad_consumed = false;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Variable", "set_grad");
}

void Variable::cleargrad(Caller at) const { set_grad_variable(Variable(), at); }

void Variable::addgrad(const Variable& source) const {
    Variable theirs = source.grad_variable();
    if (!theirs.defined()) return;
    Variable ours = grad_variable();
    if (&theirs.device() != &device() && !theirs.device().is_meta())
        theirs = Variable(theirs.array().to(device()), false);
    set_grad_variable(ours.defined() ? ours + theirs : theirs);
}

}  // namespace catena
