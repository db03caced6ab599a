#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace catena::zip {

// Numbers of the format, as in PKWARE's APPNOTE.TXT.
inline constexpr uint32_t local_signature = 0x04034b50;
inline constexpr uint32_t central_signature = 0x02014b50;
inline constexpr uint32_t end_signature = 0x06054b50;
inline constexpr uint32_t end64_signature = 0x06064b50;
inline constexpr uint32_t locator64_signature = 0x07064b50;
inline constexpr uint32_t descriptor_signature = 0x08074b50;
inline constexpr size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, end64_bytes = 56,
                        locator64_bytes = 20;
inline constexpr uint16_t zip64_field = 1;
inline constexpr uint16_t stored = 0, deflated = 8;
inline constexpr uint16_t flag_encrypted = 1, flag_descriptor = 8, flag_utf8 = 1 << 11;
inline constexpr uint32_t in_zip64_32 = 0xffffffff;
inline constexpr uint16_t in_zip64_16 = 0xffff;

/// The little-endian number at `at`.
template <class T>
T number(const char* data, size_t at) {
    T value;
    std::memcpy(&value, data + at, sizeof value);
    return value;
}

template <class T>
void put(std::string& text, T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace catena::zip
