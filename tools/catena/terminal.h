#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace catena::tool {

enum class Style { error, warning, heading, good, bad };

/// Sets when output is coloured: "always", "never" or "auto": on terminals only, where TERM is not
/// "dumb", NO_COLOR is not set, or CLICOLOR_FORCE is.
void set_color(const std::string& when);

/// The text as the stream should show it: with colours or without. Escape sequences take no width,
/// so pad the text before.
std::string styled(Style style, std::string_view text, std::FILE* stream = stdout);

/// Prints "catena: text" on the standard error.
void print_error(std::string_view text);
/// Prints the text on the standard error, its first line as an error.
void print_usage_error(std::string_view text);
void print_warning(std::string_view text);

}  // namespace catena::tool
