#include "runtime/ops/names/pytorch.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/rearrange.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/loss/squared_difference.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

/// A leaf of its elements, which gets a gradient if it was asked for.
Variable as_leaf(const char* function, const Array& elements, const TensorOptions& options) {
    if (options.requires_grad && !is_float(elements.dtype()))
        fail<DtypeError>("{}: a {} gets no gradient; only floats do", function,
                         to_string(elements.type()));
    return Variable(elements, options.requires_grad);
}

Dtype tensor_dtype(Dtype of_numbers) {
    if (is_float(of_numbers)) return config().dtype;
    return is_integer(of_numbers) ? Dtype::int64 : Dtype::bool_;
}

}  // namespace

namespace detail {

Variable as_tensor(const Array& numbers, const TensorOptions& options, bool keeps_dtype) {
    const Dtype usual = keeps_dtype ? numbers.dtype() : tensor_dtype(numbers.dtype());
    const Dtype dtype = options.dtype.value_or(usual);
    return as_leaf("tensor", dtype == numbers.dtype() ? numbers.copy() : numbers.astype(dtype),
                   options);
}

}  // namespace detail

Variable rand(const Shape& shape, const TensorOptions& options, const std::source_location& at) {
    const Dtype dtype = options.dtype.value_or(config().dtype);
    return as_leaf("rand", random_uniform(shape, dtype, at).array(), options);
}
Variable randn(const Shape& shape, const TensorOptions& options, const std::source_location& at) {
    const Dtype dtype = options.dtype.value_or(config().dtype);
    return as_leaf("randn", random_normal(shape, dtype, at).array(), options);
}
void manual_seed(int64_t seed) { set_seed(seed); }

Variable cat(std::span<const Variable> xs, int64_t axis, const std::source_location& at) {
    return concat(xs, axis, at);
}
Variable cat(std::initializer_list<Variable> xs, int64_t axis, const std::source_location& at) {
    return concat(xs, axis, at);
}
Variables chunk(const Operand& x, int64_t chunks, int64_t axis) {
    const LocationScope scope(x.location());
    const Variable& v = x;
    if (chunks < 1) fail<ValueError>("chunk: {} parts were asked for, at least 1 is there", chunks);
    const int along = normalize_axis("chunk", axis, v.rank());
    const int64_t size = v.shape()[along],
                  each = std::max((size + chunks - 1) / chunks, int64_t(1));
    std::vector<int64_t> places;
    for (int64_t place = each; place < size; place += each) places.push_back(place);
    return split(v, places, along);
}
Variable permute(const Operand& x, const Axes& axes) { return transpose(x, axes); }
Variable unsqueeze(const Operand& x, int64_t axis) { return expand_dims(x, axis); }
Variable expand(const Operand& x, const Shape& shape) {
    const LocationScope scope(x.location());
    const Shape& from = x.variable().shape();
    Shape to = shape;
    const int added = to.rank() - from.rank();
    for (int i = 0; i < to.rank(); ++i)
        if (to[i] == -1) {
            if (i < added)
                fail<ShapeError>(
                    "expand: size {} of {} is -1, but x {} has no such axis, whose size it "
                    "would keep",
                    i, to_string(shape), to_string(from));
            to[i] = from[i - added];
        }
    return broadcast_to(x, to);
}
Variable mm(const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    if (x.rank() != 2 || y.rank() != 2)
        fail<ShapeError>("mm: a {} and b {} should be matrices; matmul takes others, too",
                         to_string(x.shape()), to_string(y.shape()));
    return matmul(x, y);
}
Variable clamp(const Operand& x, const std::optional<Scalar>& min,
               const std::optional<Scalar>& max) {
    return clip(x, min, max);
}
Variable masked_fill(const Operand& x, const Operand& mask, const Scalar& value) {
    return where(mask, value, x);
}
Variable gather(const Operand& x, int64_t axis, const Operand& indices) {
    return take_along_axis(x, indices, axis);
}

Variable cross_entropy(const Operand& x, const Operand& t) {
    return softmax_cross_entropy(x, t, {.ignore_label = -100});
}
Variable mse_loss(const Operand& x0, const Operand& x1) { return mean_squared_error(x0, x1); }
Variable l1_loss(const Operand& x0, const Operand& x1) { return mean_absolute_error(x0, x1); }

}  // namespace catena
