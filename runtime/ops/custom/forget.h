#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

#include "runtime/core/memory/kept_function.h"
#include "runtime/graph/op/op.h"

namespace catena {

using ForgettableFunction = std::function<Variables(std::span<const Variable>)>;

/// The results of f(xs), of which backward keeps only xs: it calls f again instead of storing what
/// f computed between them (checkpointing). Gradients also flow to what f captures (parameters,
/// other variables), which must live until then. The second call has the settings, the random
/// numbers and the numbers of the first, and the states that the first changed hold what they held;
/// afterwards they are again as backward found them. Differentiable twice (the second run's graph
/// is then kept). In a static region f is just called: there the compiler decides what is kept.
/// ValueError in backward if f then has another number of results, or of other types.
Variables forget(const ForgettableFunction& f, std::span<const Variable> xs,
                 const std::source_location& at = std::source_location::current());

/// The result of f(x1, x2, ...), recomputed in backward: `y = forget([&](const Variable& h) {
/// return relu(layer(h)); }, x)`. A link is called itself, `y = forget(layer, x)`, and must live
/// until backward, so a temporary one is refused; other callables are copied.
template <class F, class... Xs>
    requires(
        sizeof...(Xs) > 0 && (std::convertible_to<const Xs&, Variable> && ...) &&
        (std::is_lvalue_reference_v<F> || !is_stateful_callable<std::remove_cvref_t<F>>) &&
        std::invocable<const KeptFunction<F>&, const std::conditional_t<true, Variable, Xs>&...>)
auto forget(F&& f, const Xs&... xs) {
    const Variable list[] = {Variable(xs)...};
    const auto run = [f = KeptFunction<F>(std::forward<F>(f))](std::span<const Variable> all) {
        return [&]<size_t... I>(std::index_sequence<I...>) {
            return Variables{f(all[I]...)};
        }(std::index_sequence_for<Xs...>());
    };
    Variables ys = forget(ForgettableFunction(run), std::span<const Variable>(list));
    using Result = std::invoke_result_t<const KeptFunction<F>&,
                                        const std::conditional_t<true, Variable, Xs>&...>;
    if constexpr (std::convertible_to<Result, Variable>)
        return Variable(ys[0]);
    else
        return ys;
}

}  // namespace catena
