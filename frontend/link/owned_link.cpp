#include "frontend/link/owned_link.h"

namespace catena {

OwnedLink::OwnedLink() = default;
OwnedLink::OwnedLink(Link* made, size_t bytes, Clone* clone)
    : link_(made), bytes_(bytes), clone_(clone) {
    made->know_size(bytes);
}
OwnedLink::OwnedLink(const OwnedLink& other) : bytes_(other.bytes_), clone_(other.clone_) {
    if (!other.link_) return;
    link_ = Owned<Link>(clone_(*other.link_));
    link_->know_size(bytes_);
}
OwnedLink::OwnedLink(OwnedLink&&) noexcept = default;
OwnedLink& OwnedLink::operator=(OwnedLink other) noexcept {
    link_ = std::move(other.link_);
    bytes_ = other.bytes_;
    clone_ = other.clone_;
    return *this;
}
OwnedLink::~OwnedLink() = default;

}  // namespace catena
