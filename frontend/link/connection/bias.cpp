#include "frontend/link/connection/bias.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/math/scale.h"

namespace catena {

Bias::Bias(int64_t axis, const std::optional<Shape>& shape) : b(0.0, shape), axis_(axis) {
    if (shape) add_param("b", b);
}

Variable Bias::operator()(const Operand& x) {
    LocationScope scope(x.location());
    if (!b.is_initialized())
        fail<ValueError>(
            "Bias: has no b of its own; pass it as the second argument, or give a shape");
    return called(x, [&] { return bias(x, b, axis_); });
}

Variable Bias::operator()(const Operand& x, const Operand& y) {
    LocationScope scope(x.location());
    if (b.is_initialized())
        fail<ValueError>("Bias: has a b of its own, {}; call it with x alone", to_string(b.type()));
    return called({&x.variable(), &y.variable()}, [&] { return bias(x, y, axis_); });
}

}  // namespace catena
