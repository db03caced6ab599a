#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/variable/scalar_operand.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {

class Index;

/// How backward() behaves; names and defaults as in Chainer.
struct BackwardOptions {
    bool retain_grad = false;  ///< Whether gradients of intermediate variables are kept, too.
    /// Whether gradients carry graphs and can be differentiated again.
    bool enable_double_backprop = false;
    double loss_scale = 1.0;  ///< A factor of the automatic start gradient.
};

/// An array with its place in the graph: a cheap handle, copies are the same variable.
///
/// Variables are below the graph, but offer what it does. So members are defined with what they
/// call: set_array() in assign.cpp, gradients in variable_gradient.cpp, backward() in backward.cpp,
/// unchain() in unchain.cpp; all that is an operation in runtime/ops/names.
class Variable {
public:
    /// The line of the user's program, for messages.
    using Caller = std::source_location;

    /// An undefined variable: defined() is false.
    Variable() = default;
    Variable(const Variable&) = default;
    Variable(Variable&&) = default;
    // Not to what an expression gives: `x[0] = y` would change nothing (set_item does).
    Variable& operator=(const Variable&) & = default;
    Variable& operator=(Variable&&) & = default;
    /// A handle of this body.
    explicit Variable(Ref<VariableBody> body) : body_(std::move(body)) {}
    /// A new leaf of the graph that requires a gradient: `Variable x(array)`.
    explicit Variable(Array array, bool requires_grad = true);
    /// Implicit conversion of an array: plain data without gradient, as an argument
    /// (`model(array)`) is; so is `Variable x = array`. A leaf that requires a gradient is written
    /// `Variable x(array)`, which uses the constructor above.
    template <std::same_as<Array> A>
    Variable(A array) : Variable(std::move(array), false) {}

    /// Whether there is a variable behind the handle.
    bool defined() const { return bool(body_); }
    /// The object behind the handle; null when undefined.
    VariableBody* body() const { return body_.get(); }
    /// The object behind the handle.
    const Ref<VariableBody>& ref() const { return body_; }

    // ValueError at the caller's line for an undefined Variable.
    /// The elements, without the graph.
    const Array& array(Caller at = Caller::current()) const { return there("array", at).array; }
    /// Replaces the content, outside the graph.
    void set_array(Array array) const;
    /// Dtype and shape.
    const Type& type(Caller at = Caller::current()) const {
        return there("type", at).array.type(at);
    }
    /// The sizes of the axes.
    const Shape& shape(Caller at = Caller::current()) const {
        return there("shape", at).array.shape(at);
    }
    /// The dtype of the elements.
    Dtype dtype(Caller at = Caller::current()) const { return there("dtype", at).array.dtype(at); }
    /// The number of axes.
    int rank(Caller at = Caller::current()) const { return there("rank", at).array.rank(at); }
    /// The number of axes. NumPy's name of rank().
    int ndim(Caller at = Caller::current()) const { return rank(at); }
    /// The number of axes. PyTorch's name of rank().
    int dim(Caller at = Caller::current()) const { return rank(at); }
    /// The size of an axis; negative axes count from the last. ShapeError when there is none.
    int64_t dim(int axis, Caller at = Caller::current()) const {
        return there("dim", at).array.dim(axis, at);
    }
    /// The number of elements.
    int64_t size(Caller at = Caller::current()) const { return there("size", at).array.size(at); }
    /// The size of an axis, as dim(axis). PyTorch's name.
    int64_t size(int axis, Caller at = Caller::current()) const { return dim(axis, at); }
    /// The number of elements. PyTorch's name of size().
    int64_t numel(Caller at = Caller::current()) const { return size(at); }
    /// The device where the elements are.
    Device& device(Caller at = Caller::current()) const {
        return there("device", at).array.device(at);
    }
    /// Whether backward() computes a gradient for it; false for an undefined variable.
    bool requires_grad() const;
    /// The name, which messages and pictures of the graph show; "" without one.
    const std::string& name() const;
    /// Sets the name.
    void set_name(std::string name) const;

    /// The gradient, undefined when there is none. TraceError when a compiled whole-step region
    /// consumed it and was not asked to keep it.
    Array grad(Caller at = Caller::current()) const;
    /// The gradient as a Variable, with its graph when there is one; otherwise as grad().
    Variable grad_variable(Caller at = Caller::current()) const;
    /// Sets the gradient; an undefined one clears it. ShapeError, DtypeError or DeviceError unless
    /// it is like the variable.
    void set_grad(Array grad, Caller at = Caller::current()) const;
    /// Sets the gradient with its graph; an undefined one clears it. Errors as of set_grad.
    void set_grad_variable(Variable grad, Caller at = Caller::current()) const;
    /// Drops the gradient.
    void cleargrad(Caller at = Caller::current()) const;
    /// Adds source's gradient to this one; no effect if it is undefined.
    void addgrad(const Variable& source) const;

    /// Accumulates the gradients of this variable into the leaves it was computed from. A size-1
    /// variable without a gradient starts from loss_scale; any other needs set_grad first
    /// (ValueError). A leaf that requires a gradient gets that start itself; ValueError for a
    /// variable that was computed from nothing that requires one.
    void backward(const BackwardOptions& options = {}, Caller at = Caller::current()) const;
    /// Removes its creator: the variable becomes a leaf, also for operations that have used it
    /// before.
    void unchain() const;
    /// Removes all creators behind it (truncated BPTT).
    void unchain_backward() const;

    /// A part of the variable: x[{slice(1, 5), 2, ellipsis}], x[0]; see
    /// runtime/ops/array/indexing/indexing.h, which makes an Index.
    Variable operator[](std::initializer_list<Index> slices) const;
    Variable operator[](const Index& index) const;

    /// A constant with the same elements, without the graph behind them.
    Variable detach(Caller at = Caller::current()) const { return Variable(array(at), false); }
    /// The variable in another dtype, as cast(x, dtype).
    Variable astype(Dtype dtype, Caller at = Caller::current()) const;
    /// astype() of a dtype's name, "float32"; DtypeError where there is none of that name.
    Variable astype(std::string_view dtype, Caller at = Caller::current()) const {
        return astype(parse_dtype(dtype), at);
    }
    /// The variable on another device; its gradient comes back
    /// (runtime/ops/array/copy_to_device.h).
    Variable to(Device& device, Caller at = Caller::current()) const;
    /// The variable on the device of that name, "cpu" or "cuda:0".
    Variable to(std::string_view device, Caller at = Caller::current()) const;
    /// astype(), under the name that PyTorch has for it.
    Variable to(Dtype dtype, Caller at = Caller::current()) const { return astype(dtype, at); }
    /// The elements of a variable without a graph behind it: `Array z = exp(x)`. ValueError where a
    /// gradient would be lost: write y.array() or y.detach().
    operator Array() const;

    /// The only element, converted; errors as of Array::item.
    template <Element T>
    T item(Caller at = Caller::current()) const {
        const LocationScope scope(at);
        return array(at).item<T>(at);
    }
    /// The single element as a double; errors as of item<T>(), which gives an int64 beyond 2^53
    /// exactly.
    double item(Caller at = Caller::current()) const { return item<double>(at); }
    /// The single element, `float(x)`; errors as of item<T>().
    template <Element T>
        requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>)
    explicit operator T() const {
        return item<T>(Caller());
    }
    /// All elements in row-major order, converted to T; errors as of item<T>().
    template <Element T>
    std::vector<T> to_vector(Caller at = Caller::current()) const {
        const LocationScope scope(at);
        return array(at).to_vector<T>(at);
    }

    // What functions of the same names give, with NumPy's and PyTorch's names of methods
    // (runtime/ops/names). Where the two differ, as NumPy. They are recorded and compiled as the
    // functions are.

    /// The elements, row-major, in another shape; one size may be -1, and follows from the others.
    /// ShapeError where the numbers of elements differ.
    Variable reshape(const Shape& shape, Caller at = Caller::current()) const;
    /// In another shape, x.reshape(2, -1).
    template <std::integral... Sizes>
    Variable reshape(FirstNumber first, Sizes... sizes) const {
        return reshape(first.and_then(sizes...), first.location());
    }
    /// PyTorch's name of reshape(): the elements are copied where their strides do not suffice.
    Variable view(const Shape& shape, Caller at = Caller::current()) const;
    template <std::integral... Sizes>
    Variable view(FirstNumber first, Sizes... sizes) const {
        return reshape(first.and_then(sizes...), first.location());
    }
    /// The axes in another order: axis i of the result is axis axes[i]; reversed if not given.
    /// ShapeError unless each axis is named once: two axes are exchanged by swapaxes().
    Variable transpose(const Axes& axes = {}, Caller at = Caller::current()) const;
    /// The axes in another order, x.transpose(1, 0). ValueError for a matrix's (0, 1), by which
    /// NumPy leaves the axes as they are and PyTorch exchanges them.
    Variable transpose(int64_t first, int64_t second, Caller at = Caller::current()) const;
    /// The axes in another order, x.transpose(0, 2, 1).
    template <std::integral... Order>
        requires(sizeof...(Order) != 1)
    Variable transpose(FirstNumber first, Order... order) const {
        return transpose(first.and_then(order...), first.location());
    }
    /// PyTorch's name of transpose() with all axes.
    Variable permute(const Axes& axes, Caller at = Caller::current()) const;
    template <std::integral... Order>
    Variable permute(FirstNumber first, Order... order) const {
        return transpose(first.and_then(order...), first.location());
    }
    /// The axes in reverse order.
    Variable T(Caller at = Caller::current()) const;
    /// A matrix with its two axes exchanged, as PyTorch; what has fewer axes as it is. ShapeError
    /// for more than two.
    Variable t(Caller at = Caller::current()) const;
    /// Two axes exchanged.
    Variable swapaxes(int64_t axis1, int64_t axis2, Caller at = Caller::current()) const;
    /// The axes from start_axis to end_axis, both included, as one, row-major; all if not given.
    /// ShapeError where start_axis is behind end_axis.
    Variable flatten(int64_t start_axis = 0, int64_t end_axis = -1,
                     Caller at = Caller::current()) const;
    /// The elements in one axis, row-major.
    Variable ravel(Caller at = Caller::current()) const;
    /// Without axes of size 1, or without these. ShapeError for an axis of another size.
    Variable squeeze(const Axes& axes = {}, Caller at = Caller::current()) const;
    Variable squeeze(int64_t axis, Caller at = Caller::current()) const;
    /// With a new axis of size 1, as expand_dims(); -1 is after the last. PyTorch's name.
    Variable unsqueeze(int64_t axis, Caller at = Caller::current()) const;
    /// Repeated along axes of size 1 and new leading axes, as broadcast_to(); -1 keeps the size of
    /// an axis. PyTorch's name.
    Variable expand(const Shape& shape, Caller at = Caller::current()) const;
    template <std::integral... Sizes>
    Variable expand(FirstNumber first, Sizes... sizes) const {
        return expand(first.and_then(sizes...), first.location());
    }

    /// Elements whose places along an axis are named for each place, as take_along_axis().
    /// PyTorch's name.
    Variable gather(int64_t axis, const Array& indices, Caller at = Caller::current()) const;

    /// The sum along the axes, all if not given; with keepdims they stay, with size 1.
    Variable sum(const ReductionAxes& axis = {}, bool keepdims = false,
                 Caller at = Caller::current()) const;
    /// The product along the axes, all if not given.
    Variable prod(const ReductionAxes& axis = {}, bool keepdims = false,
                  Caller at = Caller::current()) const;
    /// The mean along the axes, all if not given.
    Variable mean(const ReductionAxes& axis = {}, bool keepdims = false,
                  Caller at = Caller::current()) const;
    /// The largest element along the axes, all if not given.
    Variable max(const ReductionAxes& axis = {}, bool keepdims = false,
                 Caller at = Caller::current()) const;
    /// The smallest element along the axes, all if not given.
    Variable min(const ReductionAxes& axis = {}, bool keepdims = false,
                 Caller at = Caller::current()) const;
    /// The standard deviation, as standard_deviation(): divided by n - ddof, NumPy's default.
    Variable std(const ReductionAxes& axis = {}, bool keepdims = false, int64_t ddof = 0,
                 Caller at = Caller::current()) const;
    /// The variance, as variance(): divided by n - ddof, NumPy's default.
    Variable var(const ReductionAxes& axis = {}, bool keepdims = false, int64_t ddof = 0,
                 Caller at = Caller::current()) const;
    /// The length of vectors along the axes, of all elements if not given; of another order than 2
    /// as norm().
    Variable norm(double ord = 2, const ReductionAxes& axis = {}, bool keepdims = false,
                  Caller at = Caller::current()) const;
    /// Whether no element along the axes is 0; bool.
    Variable all(const ReductionAxes& axis = {}, bool keepdims = false,
                 Caller at = Caller::current()) const;
    /// Whether some element along the axes is not 0; bool.
    Variable any(const ReductionAxes& axis = {}, bool keepdims = false,
                 Caller at = Caller::current()) const;
    /// The index of the first largest element along the axis, or in the flattened array; int32.
    Variable argmax(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;
    /// The index of the first smallest element along the axis, or in the flattened array; int32.
    Variable argmin(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;
    /// The indices that put the elements in ascending order along the axis; int32.
    Variable argsort(int64_t axis = -1, Caller at = Caller::current()) const;
    /// Running sums along the axis, or of the flattened array.
    Variable cumsum(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;
    /// Running products along the axis, or of the flattened array.
    Variable cumprod(std::optional<int64_t> axis = {}, Caller at = Caller::current()) const;

    /// The product as NumPy's dot: of two vectors the sum of products, of matrices matmul.
    Variable dot(const Variable& other, Caller at = Caller::current()) const;
    /// The product of matrices in the last two axes; the axes before them broadcast.
    Variable matmul(const Variable& other, Caller at = Caller::current()) const;
    /// The product of two matrices; ShapeError for others. PyTorch's name.
    Variable mm(const Variable& other, Caller at = Caller::current()) const;

    /// Elements below x_min become x_min, those above x_max x_max; {} is no bound.
    Variable clip(const std::optional<Scalar>& x_min, const std::optional<Scalar>& x_max,
                  Caller at = Caller::current()) const;
    /// PyTorch's name of clip().
    Variable clamp(const std::optional<Scalar>& min, const std::optional<Scalar>& max,
                   Caller at = Caller::current()) const;
    /// Rounded to that many digits after the point; ties go to the even digit.
    Variable round(int decimals = 0, Caller at = Caller::current()) const;
    /// The absolute value of each element.
    Variable abs(Caller at = Caller::current()) const;
    /// Each element to that power.
    Variable pow(const Scalar& exponent, Caller at = Caller::current()) const;
    /// The square root of each element.
    Variable sqrt(Caller at = Caller::current()) const;
    /// e to the power of each element.
    Variable exp(Caller at = Caller::current()) const;
    /// The natural logarithm of each element.
    Variable log(Caller at = Caller::current()) const;
    /// The hyperbolic tangent of each element.
    Variable tanh(Caller at = Caller::current()) const;
    /// 1 / (1 + exp(-x)) of each element.
    Variable sigmoid(Caller at = Caller::current()) const;
    /// max(0, x) of each element.
    Variable relu(Caller at = Caller::current()) const;
    /// exp(x) divided by its sum along the axis.
    Variable softmax(int64_t axis, Caller at = Caller::current()) const;
    /// The logarithm of softmax.
    Variable log_softmax(int64_t axis, Caller at = Caller::current()) const;

    /// A new array of the same elements, with a gradient to this one.
    Variable copy(Caller at = Caller::current()) const;
    /// PyTorch's name of copy().
    Variable clone(Caller at = Caller::current()) const;

private:
    VariableBody& there(const char* asked, const Caller& at) const {
        if (!body_) [[unlikely]]
            undefined(asked, at);
        return *body_;
    }
    [[noreturn]] static void undefined(const char* asked, const Caller& at);
    Ref<VariableBody> body_;
};

/// An argument of an op: a variable or an array, with the line where the user passed it. Created by
/// implicit conversion; never stored.
class Operand {
public:
    /// A variable.
    Operand(const Variable& variable,
            const std::source_location& at = std::source_location::current())
        : variable_(&variable), at_(at) {}
    /// An array, as a constant.
    Operand(const Array& array, const std::source_location& at = std::source_location::current())
        : own_(array, false), variable_(&own_), at_(at) {}
    Operand(const Operand&) = delete;
    /// The variable.
    const Variable& variable() const { return *variable_; }
    /// The variable.
    operator const Variable&() const { return *variable_; }
    /// The line where the user passed it.
    const SourceLoc& location() const { return at_; }

private:
    Variable own_;
    const Variable* variable_;
    SourceLoc at_;
};

}  // namespace catena
