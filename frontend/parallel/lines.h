#pragma once

#include <string>
#include <vector>

namespace catena {

/// The lines of a text of which each ends in '\n', without it: how ranks tell each other lists.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace catena
