#pragma once

#include <string>
#include <string_view>

namespace catena {

/// `text` for a terminal: characters that move its cursor, colour it or tell it to do things, which
/// names in files may contain, as \x1b. Those of `kept` stay.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace catena
