#include "frontend/hdf5/checksum.h"

#include <algorithm>

namespace catena::hdf5 {
namespace {

constexpr uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }

}  // namespace

uint32_t metadata_checksum(std::string_view bytes) {
    uint32_t a = 0xdeadbeef + uint32_t(bytes.size()), b = a, c = a;
    const auto word = [&](size_t at) {
        uint32_t value = 0;
        for (size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
            value |= uint32_t(uint8_t(bytes[at + i])) << 8 * i;
        return value;
    };
    if (bytes.empty()) return c;
    size_t at = 0;
    for (; bytes.size() - at > 12; at += 12) {
        a += word(at), b += word(at + 4), c += word(at + 8);
        a -= c, a ^= turned(c, 4), c += b;
        b -= a, b ^= turned(a, 6), a += c;
        c -= b, c ^= turned(b, 8), b += a;
        a -= c, a ^= turned(c, 16), c += b;
        b -= a, b ^= turned(a, 19), a += c;
        c -= b, c ^= turned(b, 4), b += a;
    }
    a += word(at), b += word(at + 4), c += word(at + 8);
    c ^= b, c -= turned(b, 14);
    a ^= c, a -= turned(c, 11);
    b ^= a, b -= turned(a, 25);
    c ^= b, c -= turned(b, 16);
    a ^= c, a -= turned(c, 4);
    b ^= a, b -= turned(a, 14);
    c ^= b, c -= turned(b, 24);
    return c;
}

uint32_t fletcher32(std::string_view bytes) {
    uint32_t first = 0, second = 0;
    // 0xffff and 0 are one number here, and which of them comes out is a part of the format.
    const auto fold = [](uint32_t& sum) { sum = (sum & 0xffff) + (sum >> 16); };
    const size_t words = bytes.size() / 2;
    for (size_t i = 0; i < words;) {
        constexpr size_t at_once = 360;  // Whose sums 32 bits hold.
        for (const size_t end = std::min(i + at_once, words); i < end; ++i) {
            first += uint32_t(uint8_t(bytes[2 * i])) << 8 | uint8_t(bytes[2 * i + 1]);
            second += first;
        }
        fold(first), fold(second);
    }
    if (bytes.size() % 2) {
        first += uint32_t(uint8_t(bytes.back())) << 8;
        second += first;
        fold(first), fold(second);
    }
    fold(first), fold(second);
    return second << 16 | first;
}

}  // namespace catena::hdf5
