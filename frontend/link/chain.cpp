#include "frontend/link/chain.h"

#include "runtime/core/error.h"

namespace catena {

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
