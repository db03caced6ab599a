#include "frontend/trainer/json.h"

#include "runtime/core/error.h"
#include "runtime/file/limits.h"

namespace catena {
namespace {

/// Replaces NaN, Infinity and -Infinity outside of texts by null.
std::string without_infinities(const std::string& text) {
    std::string result;
    bool quoted = false;
    for (size_t i = 0; i < text.size();) {
        char c = text[i];
        size_t skip = 0;
        if (!quoted)
            for (const char* word : {"NaN", "Infinity", "-Infinity"})
                if (text.compare(i, std::char_traits<char>::length(word), word) == 0)
                    skip = std::char_traits<char>::length(word);
        if (skip > 0) {
            result += "null";
            i += skip;
            continue;
        }
        if (quoted && c == '\\' && i + 1 < text.size()) result += text[i++];
        else if (c == '"') quoted = !quoted;
        result += text[i++];
    }
    return result;
}

}  // namespace

nlohmann::ordered_json parse_json(const std::string& text, const std::string& source) {
    check_json(text, source);
    try {
        return nlohmann::ordered_json::parse(without_infinities(text));
    } catch (const nlohmann::ordered_json::exception& error) {
        fail<FileError>("{}: is not valid JSON: {}", source, error.what());
    }
}

}  // namespace catena
