#pragma once

#include "frontend/link/chain.h"

namespace catena {

/// A chain whose operator() calls its forward(), with link hooks around it, as in Chainer:
///
///     struct MLP : ct::Callable<MLP> {
///         ct::Linear l1{784, 1000}, l2{1000, 10};
///         MLP() { add_children({{"l1", l1}, {"l2", l2}}); }
///         ct::Variable forward(const ct::Variable& x) { return l2(ct::relu(l1(x))); }
///     };
///
/// A link with an operator() of its own gets the same by `return called({&x}, [&] { ... });`.
template <class Self, class Base = Chain>
class Callable : public Base {
public:
    using Base::Base;

    /// Calls forward(), between the hooks of the link.
    template <class... Arguments>
    auto operator()(Arguments&&... arguments)
        requires requires(Self& self) { self.forward(std::forward<Arguments>(arguments)...); }
    {
        const auto forward = [&] {
            return static_cast<Self&>(*this).forward(std::forward<Arguments>(arguments)...);
        };
        return this->called_with(forward, arguments...);
    }
};

}  // namespace catena
