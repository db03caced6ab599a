#include "frontend/link/connection/scale.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/math/scale.h"

namespace catena {

Scale::Scale(int64_t axis, const std::optional<Shape>& W_shape, const ScaleOptions& options)
    : W(1.0, W_shape), axis_(axis) {
    if (W_shape) add_param("W", W);
    if (!options.bias_term) return;
    const std::optional<Shape>& shape = W_shape ? W_shape : options.bias_shape;
    if (!shape) fail<ValueError>("Scale: bias_shape is needed for a bias_term without a learned W");
    list_child("bias", bias.emplace(axis, shape));
}

Variable Scale::operator()(const Operand& x) {
    LocationScope scope(x.location());
    if (!W.is_initialized())
        fail<ValueError>(
            "Scale: has no W of its own; pass it as the second argument, or give a shape");
    return called(x, [&] { return shifted(scale(x, W, axis_)); });
}

Variable Scale::operator()(const Operand& x, const Operand& y) {
    LocationScope scope(x.location());
    if (W.is_initialized())
        fail<ValueError>("Scale: has a W of its own, {}; call it with x alone",
                         to_string(W.type()));
    return called({&x.variable(), &y.variable()}, [&] { return shifted(scale(x, y, axis_)); });
}

Variable Scale::shifted(const Variable& x) { return bias ? (*bias)(x) : x; }

}  // namespace catena
