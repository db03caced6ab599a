#pragma once

#include <string>
#include <string_view>

namespace catena::pages {

/// Text for a page, also inside quotes. What is not UTF-8 is replaced.
std::string escaped(std::string_view text);

/// A page that needs nothing else: no network, no script, colours for light and dark. `body` is
/// HTML.
std::string page(std::string_view title, const std::string& body);

}  // namespace catena::pages
