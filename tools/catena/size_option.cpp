#include "tools/catena/size_option.h"

#include <charconv>

#include "runtime/core/system/error.h"

namespace catena::tool {

std::map<std::string, int64_t> parse_sizes(const std::string& command, const std::string& option,
                                           const std::vector<std::string>& texts) {
    std::map<std::string, int64_t> sizes;
    for (const std::string& text : texts) {
        const size_t at = text.find('=');
        const char *const begin = text.data() + at + 1, *const end = text.data() + text.size();
        int64_t size = 0;
        if (at == std::string::npos || at == 0 ||
            std::from_chars(begin, end, size) != std::from_chars_result{end, {}})
            fail<ValueError>("{}: {} {} is not NAME=NUMBER", command, option, text);
        if (!sizes.emplace(text.substr(0, at), size).second)
            fail<ValueError>("{}: {} {}: this size is given twice", command, option, text);
    }
    return sizes;
}

}  // namespace catena::tool
