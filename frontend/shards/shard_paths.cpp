#include "frontend/shards/shard_paths.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

constexpr uint64_t most_paths = 1'000'000;

std::optional<int64_t> number_of(std::string_view text) {
    int64_t number = 0;
    constexpr size_t most_digits = 12;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.size() > most_digits || error != std::errc() || end != text.data() + text.size() ||
        number < 0)
        return std::nullopt;
    return number;
}

[[noreturn]] void too_many(const std::string& pattern) {
    fail<ValueError>("expand_shards: '{}' names more than {} paths", pattern, most_paths);
}

/// What stands for the braces around `inside`; none if they are a part of the name.
std::optional<std::vector<std::string>> choices(std::string_view inside,
                                                const std::string& pattern) {
    std::vector<std::string> all;
    if (const size_t dots = inside.find(".."); dots != inside.npos) {
        const std::string_view from = inside.substr(0, dots), to = inside.substr(dots + 2);
        const std::optional<int64_t> first = number_of(from), last = number_of(to);
        if (!first || !last) return std::nullopt;
        if (uint64_t(*first > *last ? *first - *last : *last - *first) >= most_paths)
            too_many(pattern);
        const bool padded = (from.size() > 1 && from[0] == '0') || (to.size() > 1 && to[0] == '0');
        const size_t width = padded ? std::max(from.size(), to.size()) : 1;
        const int64_t step = *first <= *last ? 1 : -1;
        for (int64_t i = *first;; i += step) {
            all.push_back(fmt::format("{:0{}}", i, width));
            if (i == *last) return all;
        }
    }
    if (inside.find(',') == inside.npos) return std::nullopt;
    for (size_t begin = 0, end = 0; end != inside.npos; begin = end + 1) {
        end = inside.find(',', begin);
        all.emplace_back(inside.substr(begin, end == inside.npos ? end : end - begin));
    }
    return all;
}

}  // namespace

std::vector<std::string> expand_shards(const std::string& pattern) {
    std::vector<std::string> paths{""};
    size_t at = 0;
    while (at < pattern.size()) {
        const size_t open = pattern.find('{', at);
        const size_t close = open == pattern.npos ? open : pattern.find('}', open);
        std::optional<std::vector<std::string>> inside;
        if (close != pattern.npos)
            inside = choices(std::string_view(pattern).substr(open + 1, close - open - 1), pattern);
        const size_t plain = inside ? open : close == pattern.npos ? pattern.size() : close + 1;
        for (std::string& path : paths) path += pattern.substr(at, plain - at);
        at = plain;
        if (!inside) continue;
        if (paths.size() * inside->size() > most_paths) too_many(pattern);
        std::vector<std::string> longer;
        longer.reserve(paths.size() * inside->size());
        for (const std::string& path : paths)
            for (const std::string& choice : *inside) longer.push_back(path + choice);
        paths = std::move(longer);
        at = close + 1;
    }
    return paths;
}

std::vector<std::string> expand_shards(const std::vector<std::string>& patterns) {
    std::vector<std::string> all;
    for (const std::string& pattern : patterns)
        for (std::string& path : expand_shards(pattern)) all.push_back(std::move(path));
    return all;
}

}  // namespace catena
