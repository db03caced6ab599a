#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace catena::tool {

/// The sizes "batch=32", ... by name. ValueError, in the name of `command` and `option`, for other
/// texts and for a name that is given twice.
std::map<std::string, int64_t> parse_sizes(const std::string& command, const std::string& option,
                                           const std::vector<std::string>& texts);

}  // namespace catena::tool
