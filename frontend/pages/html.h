#pragma once

#include <string>
#include <string_view>

namespace catena::pages {

/// Text escaped for HTML, also inside quotes. Bytes that are not UTF-8 are replaced.
std::string escaped(std::string_view text);

/// A complete HTML page without network access or scripts, with colours for light and dark. `body`
/// is HTML.
std::string page(std::string_view title, const std::string& body);

}  // namespace catena::pages
