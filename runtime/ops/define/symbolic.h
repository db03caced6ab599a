#pragma once

#include <functional>
#include <utility>

#include "runtime/graph/op/op.h"
#include "runtime/graph/op/variable_math.h"

namespace catena {

/// The gradient of a map with respect to one input, in two forms.
struct MapGradient {
    /// The gradient's formula. Inputs: x0, x1, ..., then y and gy; scalars as the op's.
    Formula formula;
    /// The gradient on Variables, in the order inputs, scalars (0-d), y, gy.
    std::function<Variable(std::span<const Variable>)> on_variables;
    bool defined() const { return bool(on_variables); }
};

/// Registers a map; derives what the gradients read from their formulas, and one fused map
/// "NAME.gx<I>" per gradient, which is what plain backward runs.
const OpDef& define_elementwise(OpDef op, std::vector<MapGradient> gradients);

namespace detail {

inline Symbol input_symbol(Formula* f, int i) {
    return emit(f, {.leaf = Formula::Leaf::input, .args = {i}});
}
inline Symbol scalar_symbol(Formula* f, int i) {
    return emit(f, {.leaf = Formula::Leaf::scalar, .args = {i}});
}
/// Argument k of a lambda: `before` inputs come first, then S scalars, then the remaining inputs.
inline Symbol argument(Formula* f, int k, int before, int scalars) {
    if (k < before) return input_symbol(f, k);
    if (k < before + scalars) return scalar_symbol(f, k - before);
    return input_symbol(f, k - scalars);
}
inline void add_output(Formula& f, Symbol s) { f.outputs.push_back(s.id()); }
inline void add_output(Formula& f, double v) { f.outputs.push_back(literal(&f, v).id()); }
template <class... Ts>
void add_output(Formula& f, const std::tuple<Ts...>& results) {
    std::apply([&](const auto&... each) { (add_output(f, each), ...); }, results);
}
template <class F, size_t... K>
auto call_symbols(F& lambda, Formula* f, int before, int scalars, std::index_sequence<K...>) {
    return lambda(argument(f, int(K), before, scalars)...);
}

}  // namespace detail

/// The formula of a lambda over `Before` inputs, S scalars and N - Before more inputs. A lambda
/// that returns a tuple has several outputs.
template <int N, int S, int Before = N, class F>
Formula make_formula(F lambda) {
    Formula f;
    f.input_count = N;
    f.scalar_count = S;
    detail::add_output(
        f, detail::call_symbols(lambda, &f, Before, S, std::make_index_sequence<N + S>()));
    return f;
}

template <class F, size_t... K>
Variable call_on_variables(const F& lambda, std::span<const Variable> v,
                           std::index_sequence<K...>) {
    return as_result(lambda(v[K]...), v);
}

}  // namespace catena
