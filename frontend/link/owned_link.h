#pragma once

#include <concepts>
#include <utility>

#include "frontend/link/link.h"
#include "runtime/core/owned.h"

namespace catena {

/// A link of any class held by value: copying copies the link.
class OwnedLink {
public:
    OwnedLink();
    template <std::derived_from<Link> L>
    explicit OwnedLink(L link)
        : OwnedLink(new L(std::move(link)), sizeof(L),
                    [](const Link& l) -> Link* { return new L(static_cast<const L&>(l)); }) {}
    OwnedLink(const OwnedLink& other);
    OwnedLink(OwnedLink&&) noexcept;
    OwnedLink& operator=(OwnedLink other) noexcept;
    ~OwnedLink();
    Link& operator*() const { return *link_; }
    Link* operator->() const { return link_.get(); }
    Link* get() const { return link_.get(); }
    explicit operator bool() const { return bool(link_); }

private:
    using Clone = Link*(const Link&);
    OwnedLink(Link* made, size_t bytes, Clone* clone);
    Owned<Link> link_;
    size_t bytes_ = 0;  ///< Of the link's class.
    Clone* clone_ = nullptr;
};

}  // namespace catena
