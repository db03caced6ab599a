#include "frontend/link/connection/linear.h"

#include "frontend/link/lazy.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/math/linalg/contraction.h"

namespace catena {

Linear::Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& options)
    : W(options.initialW), out_size_(out_size), nobias_(options.nobias) {
    if (out_size <= 0) fail<ValueError>("Linear: out_size must be positive, not {}", out_size);
    add_param("W", W);
    if (auto size = known("Linear: in_size", in_size)) W.initialize({out_size, *size});
    if (nobias_) return;
    b = Parameter(options.initial_bias, Shape{out_size});
    add_param("b", b);
}

Linear Linear::from_params(const Array& W, const Array& b) {
    if (!W.defined() || W.rank() != 2)
        fail<ShapeError>("Linear: W should be [out_size, in_size], it is {}",
                         W.defined() ? to_string(W.type()) : "undefined");
    LinearOptions options{.nobias = !b.defined(), .initialW = W};
    if (b.defined()) options.initial_bias = b;
    return Linear(W.shape()[1], W.shape()[0], options);
}

Variable Linear::operator()(const Operand& x, int n_batch_axes) {
    const Shape& shape = x.variable().shape();
    if (!W.is_initialized() && n_batch_axes >= 1 &&
        n_batch_axes < shape.rank()) {  // Otherwise linear() throws.
        int64_t in_size = 1;
        for (int axis = n_batch_axes; axis < shape.rank(); ++axis) in_size *= shape[axis];
        W.initialize({out_size_, in_size});
    }
    LocationScope scope(x.location());
    return called(x,
                  [&] { return linear(x, W, nobias_ ? Variable() : Variable(b), n_batch_axes); });
}

std::vector<std::pair<std::string, std::string>> Linear::printable_specs() const {
    std::optional<int64_t> in_size;
    if (W.is_initialized()) in_size = W.shape()[1];
    return {{"in_size", size_text(in_size)},
            {"out_size", size_text(out_size_)},
            {"nobias", bool_text(nobias_)}};
}

}  // namespace catena
