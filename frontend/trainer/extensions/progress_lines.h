#pragma once

#include <string>

namespace catena::extensions {

/// "     total [##########..........] 50.00%\n", `length` marks; `rate` is cut to 0 to 1.
std::string progress_line(const char* label, double rate, int length);
/// "1:02:03"; "unknown" for what is not finite.
std::string duration_text(double seconds);
/// Draws below the cursor of a terminal, which then goes back up: what is printed next overwrites it.
std::string drawn_below(const std::string& lines);
inline constexpr const char* erased_below = "\033[J";

}  // namespace catena::extensions
