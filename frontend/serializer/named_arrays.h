#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// Arrays with names, in order: {{"x", x}, {"y", y}}, arrays["x"].
class NamedArrays : public std::vector<std::pair<std::string, Array>> {
public:
    using Entries = std::vector<std::pair<std::string, Array>>;
    using Entries::Entries;
    using Entries::operator[];
    Array operator[](std::string_view key) const;  ///< ValueError with the nearest name.
    bool contains(std::string_view key) const;
};

}  // namespace catena
