#include "frontend/link/chain.h"

#include "runtime/core/error.h"

namespace catena {

Link& Chain::operator[](std::string_view name) const {
    std::string names;
    for (auto& [child_name, child] : named_children()) {
        if (child_name == name) return *child;
        names += (names.empty() ? "" : ", ") + child_name;
    }
    fail<ValueError>("{}: no child is named '{}'; there is {}", type_name(), name, names.empty() ? "none" : names);
}

}  // namespace catena
