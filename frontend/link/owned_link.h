#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "frontend/link/link.h"
#include "runtime/core/memory/owned.h"

namespace catena {

/// A link of any class held by value: copying copies the link.
class OwnedLink {
public:
    /// A handle that owns no link.
    OwnedLink();
    /// A handle that owns this link.
    template <std::derived_from<Link> L>
    explicit OwnedLink(L link)
        : OwnedLink(
              new L(std::move(link)), sizeof(L),
              [](const Link& l) -> Link* { return new L(static_cast<const L&>(l)); },
              assignment<L>()) {}
    OwnedLink(const OwnedLink& other);
    OwnedLink(OwnedLink&&) noexcept;
    /// Replaces this link by another one.
    OwnedLink& operator=(OwnedLink other) noexcept;
    /// Assigns the other link: this one keeps its identity, so optimizers go on with it. Where the
    /// two are not alike, it is replaced.
    void assign(OwnedLink other);
    ~OwnedLink();
    /// The link.
    Link& operator*() const { return *link_; }
    /// The link.
    Link* operator->() const { return link_.get(); }
    /// The link; null when it holds none.
    Link* get() const { return link_.get(); }
    /// Whether the handle holds a link.
    explicit operator bool() const { return bool(link_); }

private:
    using Clone = Link*(const Link&);
    using Assign = void(Link& to, Link& from);
    OwnedLink(Link* made, size_t bytes, Clone* clone, Assign* assign);
    template <class L>
    static constexpr Assign* assignment() {
        if constexpr (std::is_move_assignable_v<L>)
            return [](Link& to, Link& from) {
                static_cast<L&>(to) = std::move(static_cast<L&>(from));
            };
        else
            return nullptr;
    }
    Owned<Link> link_;
    size_t bytes_ = 0;  ///< sizeof the link's class.
    Clone* clone_ = nullptr;
    Assign* assign_ = nullptr;  ///< The assignment of the link's class; null: it has none.
};

}  // namespace catena
