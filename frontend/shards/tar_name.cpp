#include "frontend/shards/tar_name.h"

#include <fmt/format.h>

namespace catena {

std::string printable_name(std::string_view name) {
    constexpr size_t most = 200;
    std::string printable;
    for (const char c : name.substr(0, most)) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            printable += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        else
            printable += c;
    }
    return name.size() > most ? printable + "..." : printable;
}

std::optional<TarName> split_tar_name(std::string_view name) {
    const size_t slash = name.rfind('/'), begin = slash == name.npos ? 0 : slash + 1;
    if (begin == 0 && name.starts_with("__") && name.ends_with("__")) return std::nullopt;
    const size_t dot = name.find('.', begin);
    if (dot == name.npos || dot == begin) return std::nullopt;
    TarName parts{std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
    for (char& c : parts.extension)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    return parts;
}

}  // namespace catena
