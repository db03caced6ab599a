#include "frontend/link/chain.h"

#include "runtime/core/system/error.h"

namespace catena {

NamedLink::NamedLink(std::string_view n, Link& l, size_t b) : name(n), link(l), bytes(b) {}
NamedLink::NamedLink(const NamedLink&) = default;
NamedLink::~NamedLink() = default;

void Chain::add_children(std::initializer_list<NamedLink> children) {
    for (const NamedLink& child : children) list_child_of_size(child.name, child.link, child.bytes);
}

Link& Chain::operator[](std::string_view name) const {
    Link* found = nullptr;
    std::string names;
    visit_children([&](const std::string& child_name, Link& child) {
        if (child_name == name) found = &child;
        names += (names.empty() ? "" : ", ") + child_name;
    });
    if (found) return *found;
    fail<ValueError>("{}: no child is named '{}'; there is {}", type_name(), name,
                     names.empty() ? "none" : names);
}

}  // namespace catena
