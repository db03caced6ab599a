#include "frontend/link/owned_link.h"

#include <typeinfo>

namespace catena {

OwnedLink::OwnedLink() = default;
OwnedLink::OwnedLink(Link* made, size_t bytes, Clone* clone, Assign* assign)
    : link_(made), bytes_(bytes), clone_(clone), assign_(assign) {
    made->know_size(bytes);
}
OwnedLink::OwnedLink(const OwnedLink& other)
    : bytes_(other.bytes_), clone_(other.clone_), assign_(other.assign_) {
    if (!other.link_) return;
    link_ = Owned<Link>(clone_(*other.link_));
    link_->know_size(bytes_);
}
OwnedLink::OwnedLink(OwnedLink&&) noexcept = default;
OwnedLink& OwnedLink::operator=(OwnedLink other) noexcept {
    link_ = std::move(other.link_);
    bytes_ = other.bytes_;
    clone_ = other.clone_;
    assign_ = other.assign_;
    return *this;
}

void OwnedLink::assign(OwnedLink other) {
    if (link_ && other.link_ && assign_ && typeid(*link_) == typeid(*other.link_) &&
        Link::are_alike(*link_, *other.link_))
        assign_(*link_, *other.link_);
    else
        *this = std::move(other);
}
OwnedLink::~OwnedLink() = default;

}  // namespace catena
