#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena {

/// How many letters must be added, removed or replaced to make one of the other.
size_t edit_distance(std::string_view a, std::string_view b);
/// At most `count` of the names, those with the least edit distance to `name` first; one that
/// begins with `name` (of three letters at least) is as near as one wrong letter.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names,
                                 size_t count = 1);

}  // namespace catena
