#include "frontend/trainer/extensions/report/missing_keys.h"

#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include "runtime/core/system/log.h"
#include "runtime/core/system/nearest.h"

namespace catena::extensions {
namespace {

constexpr int rows_to_wait = 10;

bool seems_misspelt(const std::string& key, const std::set<std::string>& reported) {
    const size_t most = std::max<size_t>(2, key.size() / 5);
    return std::any_of(reported.begin(), reported.end(),
                       [&](const std::string& other) { return edit_distance(key, other) <= most; });
}

}  // namespace

MissingKeys::MissingKeys(std::string extension, const std::vector<std::string>& keys)
    : extension_(std::move(extension)), missing_(keys.begin(), keys.end()) {}

void MissingKeys::saw(const std::string& key) {
    if (done()) return;
    reported_.insert(key);
    missing_.erase(key);
}

void MissingKeys::end_row() {
    ++rows_;
    std::erase_if(missing_, [&](const std::string& key) {
        const bool now = rows_ >= rows_to_wait || seems_misspelt(key, reported_);
        if (now) warn(key);
        return now;
    });
}

void MissingKeys::end() {
    if (rows_ == 0) return;
    for (const std::string& key : missing_) warn(key);
    missing_.clear();
}

void MissingKeys::warn(const std::string& key) const {
    const std::vector<std::string> known(reported_.begin(), reported_.end());
    const std::string hint = known.empty()
                                 ? "nothing is reported at all"
                                 : "the nearest key is '" + nearest(key, known).at(0) + "'";
    say(LogLevel::warning, fmt::format("{}: nothing reports '{}'; {}", extension_, key, hint));
}

}  // namespace catena::extensions
