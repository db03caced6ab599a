#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// A list of arrays with names, in order: {{"x", x}, {"y", y}}, arrays["x"].
class NamedArrays : public std::vector<std::pair<std::string, Array>> {
public:
    /// The type of the list of names and arrays.
    using Entries = std::vector<std::pair<std::string, Array>>;
    using Entries::Entries;
    using Entries::operator[];
    /// The array of that name; ValueError with the nearest name when there is none.
    Array operator[](std::string_view key) const;
    /// Whether there is an array of that name.
    bool contains(std::string_view key) const;
};

}  // namespace catena
