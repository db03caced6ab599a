#include "runtime/ops/array/deep_copy.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/rearrange.h"

namespace catena {
namespace {

Array copied_elements(const Array& array) {
    if (!array.defined()) return {};
    const auto no_graph = no_backprop_mode();
    return copy(Variable(array, false)).array();
}

}  // namespace

Variable deep_copy(const Variable& x, const std::source_location& at) {
    const LocationScope scope(at);
    if (!x.defined()) return {};
    const VariableBody& from = *x.body();
    if (from.creator)
        fail<ValueError>(
            "deep_copy: x {} was computed by {}, and its graph cannot be copied; only leaves have "
            "deep copies (x.detach() has no graph)",
            to_string(x.type()), from.creator->op->name);
    Variable made(make_ref<VariableBody>());
    VariableBody& body = *made.body();
    body.is_state = from.is_state;
    body.requires_grad = from.requires_grad;
    bind_state(body, copied_elements(from.array));
    if (!x.name().empty()) made.set_name(x.name());
    if (from.grad_consumed)
        body.grad_consumed = true;
    else if (const Variable gradient = x.grad_variable(); gradient.defined())
        made.set_grad(copied_elements(gradient.array()));
    return made;
}

}  // namespace catena
