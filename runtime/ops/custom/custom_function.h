#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>

#include "runtime/graph/op.h"

namespace catena {

/// The values of one call, for the gradient of a custom function.
struct CustomCall {
    std::span<const Variable> xs;  ///< Undefined where they are not kept.
    std::span<const Variable> ys;
    std::span<const Variable> gys;  ///< Zeros where nothing flows.
};

struct CustomOptions {
    int outputs = 1;          ///< How many results forward has.
    bool keep_inputs = true;  ///< For backward.
    bool keep_outputs = true;
};

namespace detail {
using CustomForward = std::function<Variables(std::span<const Variable>)>;
using CustomBackward = std::function<Variables(const CustomCall&)>;
const OpDef& define_custom(const std::string& name, CustomForward forward, CustomBackward backward,
                           const CustomOptions& options);
Variables call_custom(const OpDef& op, std::span<const Variable> xs,
                      const std::source_location& at);
}  // namespace detail

/// A function with a gradient of its own; made by custom_function().
template <class Result>
class CustomFunction {
public:
    explicit CustomFunction(const OpDef& op) : op_(&op) {}

    Result operator()(const Operand& x) const { return run({x}, x); }
    Result operator()(const Operand& x1, const Operand& x2) const { return run({x1, x2}, x1); }
    Result operator()(const Operand& x1, const Operand& x2, const Operand& x3) const {
        return run({x1, x2, x3}, x1);
    }
    Result operator()(std::span<const Variable> xs,
                      const std::source_location& at = std::source_location::current()) const {
        return result(detail::call_custom(*op_, xs, at));
    }
    const std::string& name() const { return op_->name; }

private:
    Result run(std::initializer_list<Variable> xs, const Operand& first) const {
        const LocationScope scope(first.location());
        return (*this)(std::span<const Variable>(xs.begin(), xs.size()));
    }
    static Result result(Variables ys) {
        if constexpr (std::same_as<Result, Variable>)
            return std::move(ys[0]);
        else
            return ys;
    }
    const OpDef* op_;
};

/// A function of arrays with a hand-written gradient, as chainer.FunctionNode:
///
///     const auto cube = ct::custom_function(
///         "cube", [](const ct::Variable& x) { return x * x * x; },
///         [](const ct::Variable& x, const ct::Variable& y, const ct::Variable& gy) { return 3 * x
///         * x * gy; });
///     ct::Variable y = cube(x);
///
/// `forward` is written with functions, or reads elements (x.array()) and makes arrays of its own;
/// its graph is not recorded. `backward` takes the inputs, the result and its gradient, and returns
/// the gradient of each input (undefined: none) as Variable, Variables or a tuple of them; written
/// with functions it can be differentiated again. Functions of lists take a span of Variables and a
/// CustomCall instead, and may have several results. In a static region the operations of both
/// become parts of the program, and it is cut where elements are read. Each function is an
/// operation that lives as long as the process: make it once, outside of loops (lambdas without
/// captures are the same function every time).
template <class F, class B>
auto custom_function(const std::string& name, F forward, B backward,
                     const CustomOptions& options = {}) {
    const auto unwrap = []<class R>(R&& result) {
        if constexpr (requires { std::tuple_size<std::remove_cvref_t<R>>::value; })
            return std::apply([](auto&&... each) { return Variables{Variable(each)...}; },
                              std::forward<R>(result));
        else
            return Variables{std::forward<R>(result)};
    };
    const auto define = [&](auto run, auto gradient) -> const OpDef& {
        const auto make = [&]() -> const OpDef& {
            return detail::define_custom(name, run, gradient, options);
        };
        if constexpr (std::is_empty_v<F> && std::is_empty_v<B>) {
            static const OpDef& op = make();
            return op;
        } else {
            return make();
        }
    };
    using V = const Variable&;
    if constexpr (std::invocable<F, std::span<const Variable>>) {
        using Result = std::invoke_result_t<F, std::span<const Variable>>;
        return CustomFunction<Result>(
            define([=](std::span<const Variable> xs) { return unwrap(forward(xs)); },
                   [=](const CustomCall& c) { return unwrap(backward(c)); }));
    } else if constexpr (std::invocable<F, V>) {
        return CustomFunction<Variable>(define(
            [=](std::span<const Variable> xs) { return unwrap(forward(xs[0])); },
            [=](const CustomCall& c) { return unwrap(backward(c.xs[0], c.ys[0], c.gys[0])); }));
    } else if constexpr (std::invocable<F, V, V>) {
        return CustomFunction<Variable>(
            define([=](std::span<const Variable> xs) { return unwrap(forward(xs[0], xs[1])); },
                   [=](const CustomCall& c) {
                       return unwrap(backward(c.xs[0], c.xs[1], c.ys[0], c.gys[0]));
                   }));
    } else {
        static_assert(std::invocable<F, V, V, V>,
                      "forward takes one to three Variables, or a span of them");
        return CustomFunction<Variable>(define(
            [=](std::span<const Variable> xs) { return unwrap(forward(xs[0], xs[1], xs[2])); },
            [=](const CustomCall& c) {
                return unwrap(backward(c.xs[0], c.xs[1], c.xs[2], c.ys[0], c.gys[0]));
            }));
    }
}

}  // namespace catena
