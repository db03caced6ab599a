#pragma once

#include <memory>

#include "frontend/link/link.h"

namespace catena {

/// A link of any class held by value: copying copies the link.
class OwnedLink {
public:
    OwnedLink() = default;
    template <std::derived_from<Link> L>
    explicit OwnedLink(L link)
        : link_(std::make_unique<L>(std::move(link))),
          clone_([](const Link& l) -> std::unique_ptr<Link> {
              auto made = std::make_unique<L>(static_cast<const L&>(l));
              made->know_size(sizeof(L));
              return made;
          }) {
        link_->know_size(sizeof(L));
    }
    OwnedLink(const OwnedLink& other)
        : link_(other.link_ ? other.clone_(*other.link_) : nullptr), clone_(other.clone_) {}
    OwnedLink(OwnedLink&&) = default;
    OwnedLink& operator=(OwnedLink other) {
        link_ = std::move(other.link_);
        clone_ = other.clone_;
        return *this;
    }
    Link& operator*() const { return *link_; }
    Link* operator->() const { return link_.get(); }
    Link* get() const { return link_.get(); }
    explicit operator bool() const { return bool(link_); }

private:
    std::unique_ptr<Link> link_;
    std::unique_ptr<Link> (*clone_)(const Link&) = nullptr;
};

}  // namespace catena
