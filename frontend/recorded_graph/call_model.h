#pragma once

#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/static_graph/call/flatten.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/op.h"

namespace catena {

namespace recorded_graph {

/// Tells the arguments of a callable; those of a region are those of its callable.
template <class F>
struct Callee {
    using type = F;
};
template <class F>
struct Callee<StaticGraph<F>> {
    using type = F;
};

template <size_t>
struct One {
    using type = const Variable&;
};
template <class F, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return std::is_invocable_v<typename Callee<F>::type&, typename One<I>::type...>;
}

template <class T>
Variables listed(const T& result) {
    Flat outputs;
    visit_values(result, outputs);
    return outputs.variables;
}

template <class F, size_t... I>
Variables call_on(F& f, std::span<const Variable> inputs, std::index_sequence<I...>) {
    return listed(f(inputs[I]...));
}

/// Calls f with the inputs as separate arguments, or as one list.
template <size_t N, class F>
Variables call_with(F& f, std::span<const Variable> inputs) {
    if constexpr (std::is_invocable_v<typename Callee<F>::type&, const std::vector<Variable>&>) {
        return listed(f(std::vector<Variable>(inputs.begin(), inputs.end())));
    } else {
        if constexpr (takes<F>(std::make_index_sequence<N>()))
            if (inputs.size() == N) return call_on(f, inputs, std::make_index_sequence<N>());
        if constexpr (N > 0)
            return call_with<N - 1>(f, inputs);
        else
            fail<ValueError>("the model does not take {} arrays", inputs.size());
    }
}

}  // namespace recorded_graph

/// A link, a static region or any callable of up to eight Variables (or a list of them), which
/// returns a Variable, or lists and structs of them, as a function from a list to a list. It refers
/// to the model.
template <class F>
std::function<Variables(std::span<const Variable>)> as_function_of_lists(F& model) {
    return
        [&model](std::span<const Variable> xs) { return recorded_graph::call_with<8>(model, xs); };
}

}  // namespace catena
