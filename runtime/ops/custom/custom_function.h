#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/graph/op/op.h"

namespace catena {

/// The values of one call, for the gradient of a custom function.
struct CustomCall {
    std::span<const Variable> xs;  ///< The inputs; undefined where they are not kept.
    /// The results; undefined where they are not kept.
    std::span<const Variable> ys;
    std::span<const Variable> gys;  ///< The gradients of the results; zeros where nothing flows.
};

/// Options of custom_function.
struct CustomOptions {
    int outputs = 1;          ///< The number of results of forward.
    bool keep_inputs = true;  ///< Whether inputs are kept for backward.
    /// Whether results are kept for backward.
    bool keep_outputs = true;
};

namespace detail {

/// One of the user's two functions, without its type.
struct CustomCode {
    using Run = Variables(const void* function, const CustomCall& call);
    CustomCode(const void* owned, void (*destroy)(const void*), Run* run);
    Variables operator()(const CustomCall& call) const { return run(function.get(), call); }
    std::shared_ptr<const void> function;
    Run* run;
};
const OpDef& define_custom(const std::string& name, CustomCode forward, CustomCode backward,
                           const CustomOptions& options);
Variables call_custom(const OpDef& op, std::span<const Variable> xs,
                      const std::source_location& at);

Variables listed(Variable result);
template <class T, size_t... I>
Variables listed_parts(const T& results, std::index_sequence<I...>) {
    return Variables{Variable(std::get<I>(results))...};
}
template <class R>
Variables listed(R&& result) {
    if constexpr (requires { std::tuple_size<std::remove_cvref_t<R>>::value; })
        return listed_parts(result,
                            std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<R>>>());
    else
        return Variables{std::forward<R>(result)};
}

/// The number of Variables that F takes; 0: a list of them.
template <class F>
constexpr int custom_inputs() {
    using V = const Variable&;
    if constexpr (std::invocable<F, std::span<const Variable>>) {
        return 0;
    } else if constexpr (std::invocable<F, V>) {
        return 1;
    } else if constexpr (std::invocable<F, V, V>) {
        return 2;
    } else {
        static_assert(std::invocable<F, V, V, V>,
                      "forward takes one to three Variables, or a span of them");
        return 3;
    }
}

template <int inputs, class F>
Variables run_forward(const void* function, const CustomCall& c) {
    const F& f = *static_cast<const F*>(function);
    if constexpr (inputs == 0) return listed(f(c.xs));
    if constexpr (inputs == 1) return listed(f(c.xs[0]));
    if constexpr (inputs == 2) return listed(f(c.xs[0], c.xs[1]));
    if constexpr (inputs == 3) return listed(f(c.xs[0], c.xs[1], c.xs[2]));
}
template <int inputs, class B>
Variables run_backward(const void* function, const CustomCall& c) {
    const B& b = *static_cast<const B*>(function);
    if constexpr (inputs == 0) return listed(b(c));
    if constexpr (inputs == 1) return listed(b(c.xs[0], c.ys[0], c.gys[0]));
    if constexpr (inputs == 2) return listed(b(c.xs[0], c.xs[1], c.ys[0], c.gys[0]));
    if constexpr (inputs == 3) return listed(b(c.xs[0], c.xs[1], c.xs[2], c.ys[0], c.gys[0]));
}
template <class F>
CustomCode custom_code(F& function, CustomCode::Run* run) {
    return CustomCode(
        new F(std::move(function)), [](const void* owned) { delete static_cast<const F*>(owned); },
        run);
}

}  // namespace detail

/// A function with a gradient of its own; made by custom_function().
template <class Result>
class CustomFunction {
public:
    /// The function of a registered op.
    explicit CustomFunction(const OpDef& op) : op_(&op) {}

    /// Calls it on one variable or array.
    Result operator()(const Operand& x) const { return run({x}, x); }
    /// Calls it on two.
    Result operator()(const Operand& x1, const Operand& x2) const { return run({x1, x2}, x1); }
    /// Calls it on three.
    Result operator()(const Operand& x1, const Operand& x2, const Operand& x3) const {
        return run({x1, x2, x3}, x1);
    }
    /// Calls it on a list.
    Result operator()(std::span<const Variable> xs,
                      const std::source_location& at = std::source_location::current()) const {
        return result(detail::call_custom(*op_, xs, at));
    }
    /// The function's name, which is its op's.
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
    constexpr int inputs = detail::custom_inputs<F>();
    const auto define = [&]() -> const OpDef& {
        return detail::define_custom(
            name, detail::custom_code(forward, detail::run_forward<inputs, F>),
            detail::custom_code(backward, detail::run_backward<inputs, B>), options);
    };
    const OpDef* op = nullptr;
    if constexpr (std::is_empty_v<F> && std::is_empty_v<B>) {
        static const OpDef& once = define();
        op = &once;
    } else {
        op = &define();
    }
    if constexpr (inputs == 0)
        return CustomFunction<std::invoke_result_t<F, std::span<const Variable>>>(*op);
    else
        return CustomFunction<Variable>(*op);
}

}  // namespace catena
