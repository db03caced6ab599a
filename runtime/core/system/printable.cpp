#include "runtime/core/system/printable.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace catena {
namespace {

bool is_control(uint8_t c) { return c < 0x20 || c == 0x7f; }
/// The second byte of a control character of ISO 6429 in UTF-8; terminals obey U+009B as ESC [.
bool is_control_after_c2(uint8_t c) { return c >= 0x80 && c < 0xa0; }

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto c = uint8_t(text[i]);
        const bool is_pair =
            c == 0xc2 && i + 1 < text.size() && is_control_after_c2(uint8_t(text[i + 1]));
        if (is_pair)
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", uint8_t(text[++i]));
        else if (is_control(c) && kept.find(text[i]) == kept.npos)
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", c);
        else
            result += text[i];
    }
    return result;
}

}  // namespace catena
