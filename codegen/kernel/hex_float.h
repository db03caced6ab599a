#pragma once

#include <charconv>
#include <cmath>
#include <string>

namespace catena::codegen {

/// A finite number exactly, as a hexadecimal constant of C: "-0x1.8p+4". fmt's {:a} asks printf,
/// whose decimal point is that of the locale.
inline std::string hex_float(double value) {
    char text[32];
    char* const end =
        std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::hex).ptr;
    return (std::signbit(value) ? "-0x" : "0x") + std::string(text, end);
}

}  // namespace catena::codegen
