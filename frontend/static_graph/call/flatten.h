#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

/// The Variables inside a value, in order, and a signature of the rest of it: sizes of lists,
/// numbers, texts. visit_values() appends those of a further value.
struct Flat {
    /// The Variables, in order.
    SmallVector<Variable, 4> variables;
    /// What else is in the value, as numbers to compare.
    SmallVector<uint64_t, 4> signature;

    /// Appends a Variable.
    void variable(const Variable& part);
    /// Appends an array, as a Variable without gradient.
    void array(const Array& part);
    /// Appends a number to the signature.
    void constant(uint64_t part);
    /// Appends the bits of a number to the signature.
    void number(double part);
    /// Appends a text to the signature.
    void text(std::string_view part);
};

/// Moves Variables into the places that visit_values() finds, in order; undefined ones when none
/// are left.
class FillVariables {
public:
    /// Fills in undefined Variables.
    FillVariables() = default;
    /// Begins at the first of the Variables of `from`, which are moved out of it.
    explicit FillVariables(Flat& from) : from_(&from) {}
    /// Puts the next Variable into a place.
    void variable(Variable& place);
    /// Puts the next array into a place.
    void array(Array& place);
    /// Leaves a part of the signature as it is.
    void constant(uint64_t) {}
    /// Leaves a number as it is.
    void number(double) {}
    /// Leaves a text as it is.
    void text(std::string_view) {}

private:
    Variable next();
    Flat* from_ = nullptr;
    size_t next_ = 0;
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

}  // namespace detail

/// Visits the parts of a value: the Variables and Arrays in it, sizes, numbers and texts. Lists,
/// maps, optionals, tuples, pairs and plain structs of them nest freely. The visitor is one of the
/// two classes above, so that each type of value is compiled for two visitors, however many regions
/// take it.
template <class T, class Visitor>
void visit_values(T& value, Visitor& visitor);

namespace detail {

template <class Visitor, class... Parts>
void visit_each(Visitor& visitor, Parts&... parts) {
    (visit_values(parts, visitor), ...);
}

template <class T, class Visitor, size_t... I>
void visit_tuple(T& value, Visitor& visitor, std::index_sequence<I...>) {
    (visit_values(std::get<I>(value), visitor), ...);
}

/// Visits every member of a plain struct of up to eight members.
template <class T, class Visitor>
void visit_fields(T& value, Visitor& visitor) {
    constexpr size_t n = field_count<std::remove_const_t<T>, 8>();
    static_assert(
        n > 0,
        "static_graph: the members of this struct cannot be listed (a plain struct of up to 8)");
    if constexpr (n == 1) {
        auto& [a] = value;
        visit_each(visitor, a);
    } else if constexpr (n == 2) {
        auto& [a, b] = value;
        visit_each(visitor, a, b);
    } else if constexpr (n == 3) {
        auto& [a, b, c] = value;
        visit_each(visitor, a, b, c);
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = value;
        visit_each(visitor, a, b, c, d);
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = value;
        visit_each(visitor, a, b, c, d, e);
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = value;
        visit_each(visitor, a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = value;
        visit_each(visitor, a, b, c, d, e, f, g);
    } else {
        auto& [a, b, c, d, e, f, g, h] = value;
        visit_each(visitor, a, b, c, d, e, f, g, h);
    }
}

}  // namespace detail

template <class T, class Visitor>
void visit_values(T& value, Visitor& visitor) {
    using U = std::remove_const_t<T>;
    if constexpr (std::is_base_of_v<Variable, U>) {
        visitor.variable(value);
    } else if constexpr (std::is_same_v<U, Array>) {
        visitor.array(value);
    } else if constexpr (std::is_same_v<U, std::vector<bool>>) {  // Its parts are no bool.
        visitor.constant(uint64_t(value.size()));
        for (const bool part : value) visitor.constant(uint64_t(part));
    } else if constexpr (detail::IsList<U>::value) {
        visitor.constant(uint64_t(value.size()));
        for (auto& part : value) visit_values(part, visitor);
    } else if constexpr (detail::IsMap<U>::value) {
        visitor.constant(uint64_t(value.size()));
        for (auto& [key, part] : value) detail::visit_each(visitor, key, part);
    } else if constexpr (detail::IsOptional<U>::value) {
        visitor.constant(value.has_value());
        if (value) visit_values(*value, visitor);
    } else if constexpr (std::is_same_v<U, std::nullopt_t>) {
        visitor.constant(uint64_t(false));
    } else if constexpr (detail::IsTuple<U>::value) {
        detail::visit_tuple(value, visitor, std::make_index_sequence<std::tuple_size_v<U>>());
    } else if constexpr (std::is_convertible_v<const U&, std::string_view>) {
        visitor.text(value);
    } else if constexpr (std::is_floating_point_v<U>) {
        visitor.number(double(value));
    } else if constexpr (std::is_integral_v<U> || std::is_enum_v<U>) {
        visitor.constant(uint64_t(value));
    } else {
        static_assert(
            std::is_aggregate_v<U>,
            "static_graph: arguments and results are Variables, numbers, texts, and lists, maps, "
            "tuples and plain structs of them");
        detail::visit_fields(value, visitor);
    }
}

}  // namespace catena
