#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/core/small_vector.h"
#include "runtime/graph/variable.h"

namespace catena {

/// The Variables inside a value, in order, and a signature of the rest of it: sizes of lists,
/// numbers, texts.
struct Flat {
    SmallVector<Variable, 4> variables;
    SmallVector<uint64_t, 4> signature;
};

/// Replaces the Variables that visit_values finds, in order; by undefined ones when none are left.
struct FillVariables {
    static constexpr bool fills_arrays = true;
    const Flat* from = nullptr;
    size_t next = 0;
    void operator()(Variable& place) {
        place = from && next < from->variables.size() ? from->variables[next] : Variable();
        ++next;
    }
};

namespace detail {

template <class T>
struct IsList : std::false_type {};
template <class T, class A>
struct IsList<std::vector<T, A>> : std::true_type {};
template <class T, size_t N>
struct IsList<std::array<T, N>> : std::true_type {};
template <class T, size_t N>
struct IsList<SmallVector<T, N>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class K, class V, class C, class A>
struct IsMap<std::map<K, V, C, A>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsTuple : std::false_type {};
template <class... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

struct AnyField {
    template <class T>
    operator T() const;
};
template <class T, size_t... I>
constexpr bool takes_fields(std::index_sequence<I...>) {
    return requires { T{(void(I), AnyField())...}; };
}
template <class T, size_t N>
constexpr size_t field_count() {
    if constexpr (N == 0)
        return 0;
    else if constexpr (takes_fields<T>(std::make_index_sequence<N>()))
        return N;
    else
        return field_count<T, N - 1>();
}

/// Calls f with every member of a plain struct of up to eight members.
template <class T, class F>
void for_each_field(T& value, F&& f) {
    constexpr size_t n = field_count<std::remove_const_t<T>, 8>();
    static_assert(
        n > 0,
        "static_graph: the members of this struct cannot be listed (a plain struct of up to 8)");
    if constexpr (n == 1) {
        auto& [a] = value;
        f(a);
    } else if constexpr (n == 2) {
        auto& [a, b] = value;
        f(a), f(b);
    } else if constexpr (n == 3) {
        auto& [a, b, c] = value;
        f(a), f(b), f(c);
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = value;
        f(a), f(b), f(c), f(d);
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = value;
        f(a), f(b), f(c), f(d), f(e);
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, g] = value;
        f(a), f(b), f(c), f(d), f(e), f(g);
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, g, h] = value;
        f(a), f(b), f(c), f(d), f(e), f(g), f(h);
    } else {
        auto& [a, b, c, d, e, g, h, i] = value;
        f(a), f(b), f(c), f(d), f(e), f(g), f(h), f(i);
    }
}

inline uint64_t bits_of(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace detail

/// Visits the parts of a value: `on_variable(Variable&)` for each Variable, `on_constant(uint64_t)`
/// for the rest. Lists, maps, optionals, tuples, pairs and plain structs of them nest freely.
template <class T, class V, class C>
void visit_values(T& value, V&& on_variable, C&& on_constant) {
    using U = std::remove_const_t<T>;
    auto again = [&](auto& part) { visit_values(part, on_variable, on_constant); };
    if constexpr (std::is_base_of_v<Variable, U>) {
        on_variable(
            static_cast<std::conditional_t<std::is_const_v<T>, const Variable, Variable>&>(value));
    } else if constexpr (std::is_same_v<U, Array>) {
        constexpr bool fills =
            !std::is_const_v<T> && requires { std::remove_cvref_t<V>::fills_arrays; };
        Variable data = value.defined() ? Variable(value, false) : Variable();
        if constexpr (fills) {
            on_variable(data);
            value = data.defined() ? data.array() : Array();
        } else {
            on_variable(std::as_const(data));
        }
    } else if constexpr (std::is_same_v<U, std::vector<bool>>) {  // Its parts are no bool.
        on_constant(uint64_t(value.size()));
        for (const bool part : value) on_constant(uint64_t(part));
    } else if constexpr (detail::IsList<U>::value) {
        on_constant(uint64_t(value.size()));
        for (auto& part : value) again(part);
    } else if constexpr (detail::IsMap<U>::value) {
        on_constant(uint64_t(value.size()));
        for (auto& [key, part] : value) again(key), again(part);
    } else if constexpr (detail::IsOptional<U>::value) {
        on_constant(value.has_value());
        if (value) again(*value);
    } else if constexpr (std::is_same_v<U, std::nullopt_t>) {
        on_constant(uint64_t(false));
    } else if constexpr (detail::IsTuple<U>::value) {
        std::apply([&](auto&... part) { (again(part), ...); }, value);
    } else if constexpr (std::is_convertible_v<const U&, std::string_view>) {
        on_constant(std::hash<std::string_view>()(value));
    } else if constexpr (std::is_floating_point_v<U>) {
        on_constant(detail::bits_of(double(value)));
    } else if constexpr (std::is_integral_v<U> || std::is_enum_v<U>) {
        on_constant(uint64_t(value));
    } else {
        static_assert(
            std::is_aggregate_v<U>,
            "static_graph: arguments and results are Variables, numbers, texts, and lists, maps, "
            "tuples and plain structs of them");
        detail::for_each_field(value, again);
    }
}

}  // namespace catena
