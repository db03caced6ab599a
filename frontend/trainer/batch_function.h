#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "frontend/dataset/example.h"
#include "frontend/link/link.h"

namespace catena {

namespace detail {

/// Throws the error for a batch that does not fit a function. `counts`: bit n is set where the
/// function takes n Variables.
[[noreturn]] void wrong_batch_size(size_t values, bool is_dict, unsigned counts);

template <class F, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return std::invocable<F&, decltype((void(I), std::declval<const Variable&>()))...>;
}
template <class F, size_t N>
concept Takes = takes<F>(std::make_index_sequence<N>());

template <class F, size_t... N>
constexpr unsigned counts_taken(std::index_sequence<N...>) {
    return ((unsigned(Takes<F, N + 1>) << (N + 1)) | ...);
}

template <class R, class F, size_t... I>
R call_with(F& f, const Batch& batch, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>)
        static_cast<void>(f(batch[I]...));
    else
        return f(batch[I]...);
}
template <class R, size_t N, class F>
R call_unpacked(F& f, const Batch& batch) {
    if constexpr (Takes<F, N>)
        if (batch.size() == N && !batch.is_dict())
            return call_with<R>(f, batch, std::make_index_sequence<N>());
    if constexpr (N < 6)
        return call_unpacked<R, N + 1>(f, batch);
    else
        wrong_batch_size(batch.size(), batch.is_dict(),
                         counts_taken<F>(std::make_index_sequence<6>()));
}

template <class R, class F>
R call_on_batch(F& f, const Batch& batch) {
    if constexpr (!std::invocable<F&, const Batch&>)
        return call_unpacked<R, 1>(f, batch);
    else if constexpr (std::is_void_v<R>)
        static_cast<void>(f(batch));
    else
        return f(batch);
}

/// A callable of a batch without its type.
template <class R>
struct BatchCall {
    std::shared_ptr<void> callable;
    R (*run)(void* callable, const Batch& batch);
    R operator()(const Batch& batch) const { return run(callable.get(), batch); }
};
std::shared_ptr<void> held(void* callable, void (*destroy)(void*));
std::shared_ptr<void> referred_to(void* callable);

template <class R, class F>
R run_on_batch(void* callable, const Batch& batch) {
    return call_on_batch<R>(*static_cast<F*>(callable), batch);
}

}  // namespace detail

/// True for callables of the Batch itself, or of one Variable for each value of it, up to six.
template <class F>
concept TakesBatch =
    std::invocable<F&, const Batch&> || detail::Takes<F, 1> || detail::Takes<F, 2> ||
    detail::Takes<F, 3> || detail::Takes<F, 4> || detail::Takes<F, 5> || detail::Takes<F, 6>;

/// Makes a function of a batch from `f`, whose arguments are the batch's values; with R void its
/// result is discarded. Links are held by reference and must outlive it; other callables are copied
/// or moved.
template <class R, class F>
    requires TakesBatch<std::remove_reference_t<F>>
std::function<R(const Batch&)> batch_function(F&& f) {
    using G = std::remove_reference_t<F>;
    using H = std::remove_const_t<G>;
    if constexpr (std::derived_from<H, Link>) {
        static_assert(std::is_lvalue_reference_v<F>,
                      "a link is not copied: give one that outlives the training");
        return detail::BatchCall<R>{detail::referred_to(const_cast<H*>(std::addressof(f))),
                                    detail::run_on_batch<R, G>};
    } else {
        // Shared, because std::function copies and static regions cannot be copied.
        return detail::BatchCall<R>{detail::held(new H(std::forward<F>(f)),
                                                 [](void* made) { delete static_cast<H*>(made); }),
                                    detail::run_on_batch<R, H>};
    }
}

}  // namespace catena
