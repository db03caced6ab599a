#include "runtime/file/file_name.h"

#include <fmt/format.h>

#include "runtime/core/system/hash.h"

namespace catena {
namespace {

constexpr size_t longest = 100;     // File systems take 255 bytes; callers add endings and numbers.
constexpr size_t hash_ending = 17;  // "-" and 16 digits.

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/// Whether `name` looks like one that was changed.
bool ends_in_a_hash(std::string_view name) {
    if (name.size() < hash_ending || name[name.size() - hash_ending] != '-') return false;
    return name.find_first_not_of("0123456789abcdef", name.size() - hash_ending + 1) ==
           std::string_view::npos;
}

}  // namespace

std::string file_name_of(std::string_view name) {
    std::string plain(name.substr(0, longest));
    for (char& c : plain)
        if (!is_plain(c)) c = '_';
    if (!plain.empty() && plain[0] == '.') plain[0] = '_';  // Nor hidden.
    if (!plain.empty() && plain == name && !ends_in_a_hash(name)) return plain;
    return plain.substr(0, longest - hash_ending) + fmt::format("-{:016x}", fnv1a(name));
}

}  // namespace catena
