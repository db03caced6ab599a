#include "frontend/trainer/extensions/report/progress_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace catena::extensions {

std::string progress_line(const char* label, double rate, int length) {
    rate = std::clamp(rate, 0.0, 1.0);
    std::string marks(size_t(rate * length), '#'), rest(size_t(length) - marks.size(), '.');
    return fmt::format("{} [{}{}] {:5.2f}%\n", label, marks, rest, 100 * rate);
}

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds)) return "unknown";
    const int64_t whole = int64_t(std::max(seconds, 0.0));
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string drawn_below(const std::string& lines) {
    return fmt::format("{}{}\033[{}A", erased_below, lines,
                       std::count(lines.begin(), lines.end(), '\n'));
}

}  // namespace catena::extensions
