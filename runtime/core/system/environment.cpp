#include "runtime/core/system/environment.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <fmt/ranges.h>

#include "runtime/core/system/ascii.h"
#include "runtime/core/system/environment_variables.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"

namespace catena::environment {
namespace {

[[noreturn]] void not_understood(const char* name, const std::string& value,
                                 const std::string& right) {
    fail<ValueError>("{} is '{}' in the environment and should be {}", name, value, right);
}

/// The whole of `value` as a T.
template <class T>
std::optional<T> parsed(const std::string& value) {
    T number{};
    const char* end = value.data() + value.size();
    auto [last, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || last != end) return {};
    return number;
}

std::string range_text(int64_t least, int64_t most) {
    const bool from = least != std::numeric_limits<int64_t>::min(),
               to = most < std::numeric_limits<int>::max();
    if (from && to) return fmt::format("a whole number from {} to {}", least, most);
    return from ? fmt::format("a whole number of at least {}", least) : "a whole number";
}

}  // namespace

std::optional<std::string> text(const char* name) {
    // Once, at the first look into the environment; saying it looks for CATENA_LOG there.
    static std::atomic<bool> has_warned = false;
    if (!has_warned.exchange(true) && is_said(LogLevel::warning))
        for (const std::string& complaint : complaints_about_unknown_names())
            say(LogLevel::warning, complaint);
    const char* value = std::getenv(name);
    if (!value || !*value) return {};
    return value;
}

bool flag(const char* name, bool fallback) {
    const std::optional<std::string> value = text(name);
    if (!value) return fallback;
    const std::string word = ascii::to_lower(*value);
    for (const char* yes : {"1", "true", "yes", "on"})
        if (word == yes) return true;
    for (const char* no : {"0", "false", "no", "off"})
        if (word == no) return false;
    not_understood(name, *value, "1 or 0");
}

std::optional<int64_t> whole_number(const char* name, int64_t least, int64_t most) {
    const std::optional<std::string> value = text(name);
    if (!value) return {};
    const std::optional<int64_t> number = parsed<int64_t>(*value);
    if (!number || *number < least || *number > most)
        not_understood(name, *value, range_text(least, most));
    return number;
}

std::optional<double> positive_number(const char* name) {
    const std::optional<std::string> value = text(name);
    if (!value) return {};
    const std::optional<double> number = parsed<double>(*value);
    if (!number || !std::isfinite(*number) || *number <= 0)
        not_understood(name, *value, "a number above 0");
    return number;
}

std::optional<std::string> choice(const char* name, const std::vector<std::string>& choices) {
    const std::optional<std::string> value = text(name);
    if (value && std::find(choices.begin(), choices.end(), *value) == choices.end())
        not_understood(name, *value, fmt::format("one of {}", fmt::join(choices, ", ")));
    return value;
}

std::vector<std::string> list(const char* name, const std::vector<std::string>& choices) {
    std::vector<std::string> chosen;
    std::istringstream words(text(name).value_or(""));
    for (std::string word; std::getline(words, word, ',');) {
        if (std::find(choices.begin(), choices.end(), word) == choices.end())
            fail<ValueError>("{} names '{}' in the environment and should name some of {}", name,
                             word, fmt::join(choices, ", "));
        chosen.push_back(word);
    }
    return chosen;
}

}  // namespace catena::environment
