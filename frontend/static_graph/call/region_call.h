#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/static_graph/call/flatten.h"

// Calls of a static region as its core sees them, which is compiled once: values of unknown types,
// with the functions that know them. Those of a type of values are shared by all regions of a
// program; only RegionCode is made for each.

namespace catena {

/// The functions with which the region handles an argument or a result of one type.
struct ValueType {
    /// Lists the Variables in a value and the signature of the rest.
    void (*list)(const void* value, Flat& flat);
    /// Copies a value; null: it cannot be copied.
    void* (*copy)(const void* value);
    /// Fills the places of Variables in a value.
    void (*fill)(void* value, FillVariables& variables);
    /// Destroys a copy.
    void (*destroy)(void* value);
};

/// The functions with which the region handles a result of one type.
struct ResultType {
    /// The functions of the type as a value.
    const ValueType* value;
    /// Makes a copy in an empty place and returns its address; null for a Variable, which is a
    /// place itself.
    void* (*copy_into)(void* place, const void* result);
};

/// The code of a callable for arguments of certain types, with the types erased.
struct RegionCall {
    /// Runs the callable and lists its result in `outputs`. Stores the result in `place` unless
    /// that is null, and returns its address there.
    void* (*run)(void* callable, void* const* arguments, void* place, Flat& outputs);
    /// The functions of the arguments' types.
    const ValueType* const* arguments;
    /// The number of arguments.
    size_t argument_count;
    const ResultType* result;  ///< The type of the result; null: void.
};

namespace detail {

template <class T>
struct TypedValue {
    static void list(const void* value, Flat& flat) {
        visit_values(*static_cast<const T*>(value), flat);
    }
    static void* copy(const void* value) { return new T(*static_cast<const T*>(value)); }
    static void fill(void* value, FillVariables& variables) {
        visit_values(*static_cast<T*>(value), variables);
    }
    static void destroy(void* value) { delete static_cast<T*>(value); }

    static constexpr ValueType make() {
        if constexpr (std::is_copy_constructible_v<T>)
            return {list, copy, fill, destroy};
        else
            return {list, nullptr, nullptr, nullptr};
    }
    static constexpr ValueType type = make();
};

extern const ValueType variable_type, array_type, variable_list_type;
extern const ResultType variable_result;

template <class T>
constexpr const ValueType* value_type() {
    if constexpr (std::is_same_v<T, Variable>)
        return &variable_type;
    else if constexpr (std::is_same_v<T, Array>)
        return &array_type;
    else if constexpr (std::is_same_v<T, std::vector<Variable>>)
        return &variable_list_type;
    else
        return &TypedValue<T>::type;
}

/// Memory for a result.
template <class Result>
struct Place {
    std::optional<Result> value;

    Result take() { return std::move(*value); }
    static void* copy_into(void* place, const void* result) {
        return std::addressof(
            static_cast<Place*>(place)->value.emplace(*static_cast<const Result*>(result)));
    }
    static constexpr ResultType type = {value_type<Result>(), copy_into};
    static constexpr const ResultType* result_type = &type;
};
template <>
struct Place<Variable> {
    Variable value;

    Variable take() { return std::move(value); }
    static constexpr const ResultType* result_type = &variable_result;
};
template <>
struct Place<void> {
    void take() {}
    static constexpr const ResultType* result_type = nullptr;
};

template <class Result>
void* store(Result&& result, void* place, Flat& outputs) {
    visit_values(std::as_const(result), outputs);
    if (!place) return nullptr;
    return std::addressof(static_cast<Place<Result>*>(place)->value.emplace(std::move(result)));
}
void* store(Variable&& result, void* place, Flat& outputs);

template <class F, class Indices, class... Arguments>
struct RegionCode;
template <class F, size_t... I, class... Arguments>
struct RegionCode<F, std::index_sequence<I...>, Arguments...> {
    /// The type of a region's result, always a value: one that is returned by reference is copied.
    using Result = std::remove_cvref_t<decltype(std::declval<F&>()(std::declval<Arguments&>()...))>;

    static void* run(void* callable, void* const* arguments, void* place, Flat& outputs) {
        F& f = *static_cast<F*>(callable);
        if constexpr (std::is_void_v<Result>) {
            f(*static_cast<std::remove_reference_t<Arguments>*>(arguments[I])...);
            return nullptr;
        } else {
            return store(
                Result(f(*static_cast<std::remove_reference_t<Arguments>*>(arguments[I])...)),
                place, outputs);
        }
    }
    static constexpr const ValueType* types[] = {value_type<std::remove_cvref_t<Arguments>>()...,
                                                 nullptr};
    static constexpr RegionCall call = {run, types, sizeof...(Arguments),
                                        Place<Result>::result_type};
};

template <class T>
void* address(T& value) {
    return const_cast<void*>(static_cast<const void*>(std::addressof(value)));
}

}  // namespace detail
}  // namespace catena
