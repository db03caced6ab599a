#include "frontend/serializer/named_arrays.h"

#include <algorithm>

#include "frontend/serializer/archive.h"
#include "runtime/core/system/error.h"

namespace catena {

Array NamedArrays::operator[](std::string_view key) const {
    std::vector<std::string> keys;
    for (const auto& [name, array] : *this)
        if (name == key) return array;
    for (const auto& [name, array] : *this) keys.push_back(name);
    fail<ValueError>("there is no array '{}'; {}", key, nearest_key(key, keys));
}

bool NamedArrays::contains(std::string_view key) const {
    return std::ranges::any_of(*this, [&](const auto& each) { return each.first == key; });
}

}  // namespace catena
