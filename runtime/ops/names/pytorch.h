#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "runtime/core/array/axis_arguments.h"
#include "runtime/graph/op/op.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/from_lists.h"

namespace catena {

// Functions that PyTorch alone has under these names. They behave as PyTorch's and are calls of
// NumPy's and Chainer's functions.

/// Options of tensor, rand and randn.
struct TensorOptions {
    /// The dtype. If not given: config().dtype of floats, int64 of integers, bool of bools.
    std::optional<Dtype> dtype = {};
    /// Whether the result is a leaf of the graph that gets a gradient.
    bool requires_grad = false;
};

namespace detail {

/// Numbers in the dtype of a tensor that is made of them.
Variable as_tensor(const Array& numbers, const TensorOptions& options, bool keeps_dtype);

}  // namespace detail

/// A Variable of numbers: `tensor({{1.0, 2.0}, {3.0, 4.0}}, {.requires_grad = true})`. Floats are
/// config().dtype, float32 at first, and integers int64, whatever their type in C++; array() keeps
/// the type.
template <Element T>
Variable tensor(std::initializer_list<T> list, const TensorOptions& options = {}) {
    return detail::as_tensor(array(list), options, false);
}
template <Element T>
Variable tensor(std::initializer_list<std::initializer_list<T>> lists,
                const TensorOptions& options = {}) {
    return detail::as_tensor(array(lists), options, false);
}
template <Element T>
Variable tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>> lists,
                const TensorOptions& options = {}) {
    return detail::as_tensor(array(lists), options, false);
}
template <Element T>
Variable tensor(const std::vector<T>& values, const TensorOptions& options = {}) {
    return detail::as_tensor(array(values), options, false);
}
template <Element T>
Variable tensor(T number, const TensorOptions& options = {}) {
    return detail::as_tensor(array(number), options, false);
}
/// A Variable of a copy of the array, in its dtype.
template <std::same_as<Array> A>
Variable tensor(const A& array, const TensorOptions& options = {}) {
    return detail::as_tensor(array, options, true);
}

/// Independent draws from [0, 1), of config().dtype if no other is given; seeded by manual_seed().
Variable rand(const Shape& shape, const TensorOptions& options = {},
              const std::source_location& at = std::source_location::current());
template <std::integral... Sizes>
Variable rand(FirstNumber first, Sizes... sizes) {
    return rand(first.and_then(sizes...), {}, first.location());
}
/// Independent draws from the standard normal distribution, of config().dtype if no other is given;
/// seeded by manual_seed().
Variable randn(const Shape& shape, const TensorOptions& options = {},
               const std::source_location& at = std::source_location::current());
template <std::integral... Sizes>
Variable randn(FirstNumber first, Sizes... sizes) {
    return randn(first.and_then(sizes...), {}, first.location());
}
/// Seeds this thread's random numbers, as set_seed().
void manual_seed(int64_t seed);

/// No operation records a graph until the returned scope ends, as no_backprop_mode().
[[nodiscard]] inline ConfigScope<bool> no_grad() { return no_backprop_mode(); }

/// Arrays joined along an axis, as concat(), but along axis 0 if not given.
Variable cat(std::span<const Variable> xs, int64_t axis = 0,
             const std::source_location& at = std::source_location::current());
Variable cat(std::initializer_list<Variable> xs, int64_t axis = 0,
             const std::source_location& at = std::source_location::current());
/// x in parts of one size along an axis, the last of which may be smaller: at most `chunks`, and
/// fewer where so many of that size are not needed. array_split() gives exactly as many.
Variables chunk(const Operand& x, int64_t chunks, int64_t axis = 0);
/// x with its axes in another order, as transpose() with all axes.
Variable permute(const Operand& x, const Axes& axes);
/// x with a new axis of size 1, as expand_dims().
Variable unsqueeze(const Operand& x, int64_t axis);
/// x repeated along axes of size 1 and new leading axes, as broadcast_to(); -1 keeps the size of an
/// axis. ShapeError where it cannot be.
Variable expand(const Operand& x, const Shape& shape);
/// The product of two matrices, as matmul(); ShapeError for others.
Variable mm(const Operand& a, const Operand& b);
/// min(max(x, min), max), elementwise, as clip(); {} is no bound.
Variable clamp(const Operand& x, const std::optional<Scalar>& min,
               const std::optional<Scalar>& max = {});
/// `value` where the mask is not 0, elsewhere x, as where().
Variable masked_fill(const Operand& x, const Operand& mask, const Scalar& value);
/// Elements of x whose places along an axis are named for each place, as take_along_axis().
Variable gather(const Operand& x, int64_t axis, const Operand& indices);

/// The mean cross entropy of softmax(x) along axis 1 and labels, as softmax_cross_entropy().
/// - x: Scores before the softmax, (N, C) or (N, C, ...).
/// - t: Integer labels, (N) or (N, ...), of which -100 are ignored; or probabilities of x's shape.
Variable cross_entropy(const Operand& x, const Operand& t);
/// The mean of (x0 - x1)^2, as mean_squared_error(). Floats of one shape and dtype.
Variable mse_loss(const Operand& x0, const Operand& x1);
/// The mean of |x0 - x1|, as mean_absolute_error(). Floats of one shape and dtype.
Variable l1_loss(const Operand& x0, const Operand& x1);

}  // namespace catena
