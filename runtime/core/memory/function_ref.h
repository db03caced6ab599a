#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace catena {

/// A reference to a callable; see the specialization for functions.
template <class Signature>
class FunctionRef;

/// A callable that an argument refers to while the call lasts: unlike std::function it copies
/// nothing and never allocates.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
                 std::is_invocable_r_v<Result, F&, Arguments...>)
    /// Refers to `f`, which must outlive it.
    FunctionRef(F&& f)
        : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* callable, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(callable))(
                  std::forward<Arguments>(arguments)...);
          }) {}
    /// Calls the function.
    Result operator()(Arguments... arguments) const {
        return call_(callable_, std::forward<Arguments>(arguments)...);
    }

private:
    void* callable_;
    Result (*call_)(void*, Arguments...);
};

}  // namespace catena
