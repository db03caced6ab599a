#pragma once

#include <string>
#include <vector>

namespace catena {

/// Splits a text into its lines, each of which ends in '\n', without the '\n': the form in which
/// ranks exchange lists.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace catena
