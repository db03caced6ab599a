#pragma once

#include <string>

namespace catena::extensions {

/// A line with a bar of `length` marks: "     total [##########..........] 50.00%\n". `rate` is
/// clamped to 0 to 1.
std::string progress_line(const char* label, double rate, int length);
/// A duration as text: "1:02:03"; "unknown" if not finite.
std::string duration_text(double seconds);
/// Text that draws below the cursor of a terminal and moves it back up: the next output overwrites
/// it.
std::string drawn_below(const std::string& lines);
inline constexpr const char* erased_below = "\033[J";

}  // namespace catena::extensions
