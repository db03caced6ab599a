#pragma once

#include "frontend/link/link.h"

namespace catena {

/// A child link and its name.
struct NamedLink {
    /// Names a member as a child.
    template <std::derived_from<Link> L>
    NamedLink(std::string_view n, L& l) : NamedLink(n, l, sizeof(L)) {}
    /// Names a link of a class of `bytes` bytes, by which a member that is not listed is found.
    NamedLink(std::string_view name, Link& link, size_t bytes);
    NamedLink(const NamedLink&);
    ~NamedLink();
    /// The child's name, without "/".
    std::string name;
    /// The child.
    Link& link;
    size_t bytes;  ///< sizeof the link's class, as far as it is known where the link is listed.
};

/// A link with named child links, which are its members:
///
///     struct MLP : ct::Chain {
///         ct::Linear l1{784, 1000}, l2{1000, 10};
///         MLP() { add_children({{"l1", l1}, {"l2", l2}}); }
///         ct::Variable operator()(const ct::Variable& x) { return l2(ct::relu(l1(x))); }
///     };
class Chain : public Link {
public:
    Chain() = default;
    Chain(const Chain&) = default;
    Chain(Chain&&) = default;
    /// Lists a member as a child. ValueError for a name that is taken.
    template <std::derived_from<Link> L>
    void add_child(std::string name, L& child) {
        list_child(std::move(name), child);
    }
    /// Lists members as children: `add_children({{"l1", l1}, {"l2", l2}})`.
    void add_children(std::initializer_list<NamedLink> children);
    /// The child of that name; ValueError listing the existing children.
    Link& operator[](std::string_view name) const;

protected:
    Chain& operator=(const Chain&) = default;  // As Link's.
    Chain& operator=(Chain&&) = default;
};

}  // namespace catena
