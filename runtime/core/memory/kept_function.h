#pragma once

#include <functional>
#include <type_traits>

namespace catena {

/// True for classes of callables that have a state of their own, so that a copy is another object:
/// the frontend sets it for Link. It is false for lambdas: one that captures by reference changes
/// the same objects in its copies.
template <class F>
inline constexpr bool is_stateful_callable = false;

/// The type in which an argument `F&& f` that is called later is stored. It is a reference for an
/// lvalue whose class is_stateful_callable, since a copy would be trained in its place; such an
/// object must outlive the one that stores the reference. Anything else is copied or moved.
template <class F>
using KeptFunction =
    std::conditional_t<std::is_lvalue_reference_v<F> &&
                           is_stateful_callable<std::remove_cvref_t<F>>,
                       std::reference_wrapper<std::remove_reference_t<F>>, std::decay_t<F>>;

}  // namespace catena
