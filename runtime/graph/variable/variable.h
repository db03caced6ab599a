#pragma once

#include <concepts>
#include <initializer_list>
#include <source_location>
#include <string>

#include "runtime/core/array/array.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/variable/scalar_operand.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {

class Index;

/// How backward() behaves; names and defaults as in Chainer.
struct BackwardOptions {
    bool retain_grad = false;  ///< Whether gradients of intermediate variables are kept, too.
    bool enable_double_backprop =
        false;                ///< Whether gradients carry graphs and can be differentiated again.
    double loss_scale = 1.0;  ///< A factor of the automatic start gradient.
};

/// An array with its place in the graph: a cheap handle, copies are the same variable.
class Variable {
public:
    using Caller = std::source_location;

    Variable() = default;  ///< An undefined variable: defined() is false.
    Variable(const Variable&) = default;
    Variable(Variable&&) = default;
    // Not to what an expression gives: `x[0] = y` would change nothing (set_item does).
    Variable& operator=(const Variable&) & = default;
    Variable& operator=(Variable&&) & = default;
    explicit Variable(Ref<VariableBody> body) : body_(std::move(body)) {}
    /// A new leaf of the graph that requires a gradient: `Variable x(array)`.
    explicit Variable(Array array, bool requires_grad = true);
    /// Implicit conversion of an array: plain data without gradient, as an argument
    /// (`model(array)`) is; so is `Variable x = array`. A leaf that requires a gradient is written
    /// `Variable x(array)`, which uses the constructor above.
    template <std::same_as<Array> A>
    Variable(A array) : Variable(std::move(array), false) {}

    bool defined() const { return bool(body_); }
    VariableBody* body() const { return body_.get(); }
    const Ref<VariableBody>& ref() const { return body_; }

    // ValueError at the caller's line for an undefined Variable.
    const Array& array(Caller at = Caller::current()) const { return there("array", at).array; }
    void set_array(Array array) const;  ///< Replaces the content, outside the graph.
    const Type& type(Caller at = Caller::current()) const {
        return there("type", at).array.type(at);
    }
    const Shape& shape(Caller at = Caller::current()) const {
        return there("shape", at).array.shape(at);
    }
    Dtype dtype(Caller at = Caller::current()) const { return there("dtype", at).array.dtype(at); }
    int rank(Caller at = Caller::current()) const { return there("rank", at).array.rank(at); }
    int64_t size(Caller at = Caller::current()) const { return there("size", at).array.size(at); }
    Device& device(Caller at = Caller::current()) const {
        return there("device", at).array.device(at);
    }
    bool requires_grad() const;
    const std::string& name() const;
    void set_name(std::string name) const;

    /// The gradient, undefined when there is none. TraceError when a compiled whole-step region
    /// consumed it and was not asked to keep it.
    Array grad(Caller at = Caller::current()) const;
    /// The gradient as a Variable, with its graph when there is one; otherwise as grad().
    Variable grad_variable(Caller at = Caller::current()) const;
    /// Sets the gradient; an undefined one clears it. ShapeError, DtypeError or DeviceError unless
    /// it is like the variable.
    void set_grad(Array grad, Caller at = Caller::current()) const;
    void set_grad_variable(Variable grad, Caller at = Caller::current()) const;
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
    void unchain_backward() const;  ///< Removes all creators behind it (truncated BPTT).

    /// A part of the variable: x[{slice(1, 5), 2, ellipsis}], x[0]; see
    /// runtime/ops/array/indexing/indexing.h, which makes an Index.
    Variable operator[](std::initializer_list<Index> slices) const;
    Variable operator[](const Index& index) const;

    /// A constant with the same elements, without the graph behind them.
    Variable detach(Caller at = Caller::current()) const { return Variable(array(at), false); }
    /// The variable in another dtype, as cast(x, dtype).
    Variable astype(Dtype dtype, Caller at = Caller::current()) const;
    /// The variable on another device; its gradient comes back
    /// (runtime/ops/array/copy_to_device.h).
    Variable to(Device& device, Caller at = Caller::current()) const;
    /// The elements of a variable without a graph behind it: `Array z = exp(x)`. ValueError where a
    /// gradient would be lost: write y.array() or y.detach().
    operator Array() const;

    template <Element T>
    T item(Caller at = Caller::current()) const {
        const LocationScope scope(at);
        return array(at).item<T>(at);
    }

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
    Operand(const Variable& variable,
            const std::source_location& at = std::source_location::current())
        : variable_(&variable), at_(at) {}
    Operand(const Array& array, const std::source_location& at = std::source_location::current())
        : own_(array, false), variable_(&own_), at_(at) {}
    Operand(const Operand&) = delete;
    const Variable& variable() const { return *variable_; }
    operator const Variable&() const { return *variable_; }
    const SourceLoc& location() const { return at_; }

private:
    Variable own_;
    const Variable* variable_;
    SourceLoc at_;
};

}  // namespace catena
