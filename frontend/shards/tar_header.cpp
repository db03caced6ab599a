#include "frontend/shards/tar_header.h"

#include <algorithm>

#include <fmt/format.h>

namespace catena {
namespace {

constexpr size_t name_bytes = 100;
constexpr uint64_t most_octal = (uint64_t(1) << 33) - 1;  // Eleven digits.

/// A header by POSIX.1-1988, all of whose fields are texts.
std::string ustar(std::string_view name, uint64_t bytes, char kind) {
    std::string record(tar_record_bytes, '\0');
    const auto put = [&](size_t at, std::string_view text) {
        std::copy(text.begin(), text.end(), record.begin() + std::ptrdiff_t(at));
    };
    put(0, name.substr(0, name_bytes));
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, fmt::format("{:011o}", std::min(bytes, most_octal)));
    put(136, "00000000000");
    put(148, "        ");  // The checksum counts as blanks in its own sum.
    record[156] = kind;
    put(257, std::string_view("ustar\00000", 8));
    put(329, "0000000");
    put(337, "0000000");
    unsigned sum = 0;
    for (const char c : record) sum += static_cast<unsigned char>(c);
    put(148, fmt::format("{:06o}", sum));
    record[154] = '\0';
    return record;
}

/// A record of a pax header, which begins with its own length: "30 path=cats/000012.jpg\n".
std::string pax_line(std::string_view key, std::string_view value) {
    const std::string rest = fmt::format(" {}={}\n", key, value);
    size_t length = rest.size();
    while (fmt::formatted_size("{}", length) + rest.size() != length)
        length = fmt::formatted_size("{}", length) + rest.size();
    return fmt::format("{}{}", length, rest);
}

}  // namespace

std::string tar_header(std::string_view name, uint64_t bytes) {
    std::string further;
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
    if (!plain || name.size() > name_bytes) further += pax_line("path", name);
    if (bytes > most_octal) further += pax_line("size", fmt::to_string(bytes));
    std::string header;
    if (!further.empty())
        header =
            ustar("././@PaxHeader", further.size(), 'x') + further + tar_padding(further.size());
    return header + ustar(name, bytes, '0');
}

std::string tar_padding(uint64_t bytes) {
    return std::string(size_t((tar_record_bytes - bytes % tar_record_bytes) % tar_record_bytes),
                       '\0');
}

std::string tar_end() { return std::string(size_t(2 * tar_record_bytes), '\0'); }

}  // namespace catena
