#pragma once

#include <string>
#include <string_view>

namespace catena::ascii {

// Kinds of characters in names, numbers and files. Those of <cctype> follow the locale that a
// program has chosen: where it has one byte for each letter, a byte of UTF-8 may be one.

constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }
constexpr bool is_lower(char c) { return 'a' <= c && c <= 'z'; }
constexpr bool is_upper(char c) { return 'A' <= c && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_space(char c) { return c == ' ' || ('\t' <= c && c <= '\r'); }
constexpr char to_lower(char c) { return is_upper(c) ? char(c - 'A' + 'a') : c; }
constexpr char to_upper(char c) { return is_lower(c) ? char(c - 'a' + 'A') : c; }

inline std::string to_lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = to_lower(c);
    return result;
}
inline std::string to_upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = to_upper(c);
    return result;
}

}  // namespace catena::ascii
