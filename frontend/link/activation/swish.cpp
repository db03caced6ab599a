#include "frontend/link/activation/swish.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/activation/activation.h"

namespace catena {

Swish::Swish(const std::optional<Shape>& beta_shape, double beta_init)
    : beta(beta_init, beta_shape) {
    add_param("beta", beta);
}

Variable Swish::operator()(const Operand& x) {
    LocationScope scope(x.location());
    const Shape& shape = x.variable().shape();
    if (!beta.is_initialized()) {
        if (shape.empty()) fail<ShapeError>("Swish: x should have a batch axis, it is 0-d");
        beta.initialize(Shape(std::span(shape.begin() + 1, shape.end())));
    }
    return called(x, [&] { return swish(x, beta); });
}

}  // namespace catena
