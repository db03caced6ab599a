#pragma once

#include <functional>
#include <type_traits>

namespace catena {

/// Callables whose copy is another object with a state of its own, to whoever calls one of the two:
/// a layer above says so of its class (Link). Lambdas are not: one that refers to what it changes
/// does so in its copies, too, and is often gone before them.
template <class F>
inline constexpr bool is_stateful_callable = false;

/// What is kept of an argument `F&& f` that is called later: a copy or what was moved; of an lvalue
/// of such a class the reference, since a copy would be trained in its place. It must then outlive
/// who keeps it.
template <class F>
using KeptFunction =
    std::conditional_t<std::is_lvalue_reference_v<F> &&
                           is_stateful_callable<std::remove_cvref_t<F>>,
                       std::reference_wrapper<std::remove_reference_t<F>>, std::decay_t<F>>;

}  // namespace catena
