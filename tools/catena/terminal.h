#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace catena::tool {

enum class Style { error, warning, heading, good, bad };

/// "always", "never" or "auto": terminals only, where TERM is not "dumb", NO_COLOR is not set, or
/// CLICOLOR_FORCE is.
void set_color(const std::string& when);

/// The text as that stream shows it: with colours or as it is. Colours take no width of their own,
/// so pad first.
std::string styled(Style style, std::string_view text, std::FILE* stream = stdout);

/// "catena: text" on the standard error.
void print_error(std::string_view text);
/// The text on the standard error, its first line as an error.
void print_usage_error(std::string_view text);
void print_warning(std::string_view text);

}  // namespace catena::tool
