#include "runtime/core/system/nearest.h"

#include <algorithm>
#include <utility>

namespace catena {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = std::exchange(row[j], next);
        }
    }
    return row.back();
}

namespace {

/// What is written so far of a longer name is as near as one wrong letter.
size_t distance(std::string_view written, std::string_view name) {
    if (written.size() >= 3 && name.starts_with(written)) return 1;
    return edit_distance(written, name);
}

}  // namespace

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names,
                                 size_t count) {
    std::vector<std::pair<size_t, std::string>> scored;
    for (const std::string& candidate : names)
        scored.emplace_back(distance(name, candidate), candidate);
    std::sort(scored.begin(), scored.end());
    std::vector<std::string> found;
    for (size_t i = 0; i < std::min(count, scored.size()); ++i) found.push_back(scored[i].second);
    return found;
}

}  // namespace catena
