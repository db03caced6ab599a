#pragma once

#include <string>
#include <string_view>

namespace catena {

/// `text` made safe for a terminal: control characters, which names in files may contain and which
/// could move its cursor or change its colours, are written as \x1b. The characters in `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace catena
