#include "frontend/trainer/json.h"

#include <cmath>
#include <limits>

#include "frontend/trainer/json_reader.h"
#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"

namespace catena {
namespace {

using Json = nlohmann::ordered_json;

/// What JSON has no number for. The library knows none either: to it they are texts that begin with
/// a character that no name has.
struct Special {
    const char* word;
    double value;
};
constexpr Special specials[] = {{"-Infinity", -std::numeric_limits<double>::infinity()},
                                {"Infinity", std::numeric_limits<double>::infinity()},
                                {"NaN", std::numeric_limits<double>::quiet_NaN()}};
constexpr char mark = '\x01';

std::string quoted(const Special& special) {
    return Json(std::string(1, mark) + special.word).dump();
}

bool starts_at(const std::string& text, size_t i, const std::string& word) {
    return text.compare(i, word.size(), word) == 0;
}

/// Puts texts in the place of special numbers outside of texts.
std::string with_texts(const std::string& text) {
    std::string result;
    bool is_quoted = false;
    for (size_t i = 0; i < text.size();) {
        const Special* found = nullptr;
        for (const Special& special : specials)
            if (!is_quoted && !found && starts_at(text, i, special.word)) found = &special;
        if (found) {
            result += quoted(*found);
            i += std::char_traits<char>::length(found->word);
            continue;
        }
        if (is_quoted && text[i] == '\\' && i + 1 < text.size())
            result += text[i++];
        else if (text[i] == '"')
            is_quoted = !is_quoted;
        result += text[i++];
    }
    return result;
}

/// The reverse, of what the library has written.
std::string with_numbers(std::string text) {
    for (const Special& special : specials)
        for (size_t i = 0; (i = text.find(quoted(special), i)) != std::string::npos;)
            text.replace(i, quoted(special).size(), special.word);
    return text;
}

void texts_to_numbers(Json& json) {
    if (json.is_structured())
        for (Json& child : json) texts_to_numbers(child);
    if (!json.is_string()) return;
    for (const Special& special : specials)
        if (json.get_ref<const std::string&>() == std::string(1, mark) + special.word) {
            json = special.value;
            return;
        }
}

void numbers_to_texts(Json& json) {
    if (json.is_structured())
        for (Json& child : json) numbers_to_texts(child);
    if (!json.is_number_float() || std::isfinite(json.get<double>())) return;
    for (const Special& special : specials)
        if (json.get<double>() == special.value ||
            (std::isnan(json.get<double>()) && std::isnan(special.value))) {
            json = std::string(1, mark) + special.word;
            return;
        }
}

}  // namespace

nlohmann::ordered_json parse_json(const std::string& text, const std::string& source) {
    check_json(text, source);
    JsonReader reader;
    if (!Json::sax_parse(with_texts(text), &reader))
        fail<FileError>("{}: is not valid JSON: {}", source, reader.problem());
    texts_to_numbers(reader.document());
    return std::move(reader.document());
}

std::string json_text(nlohmann::ordered_json json, int indent) {
    numbers_to_texts(json);
    return with_numbers(json.dump(indent));
}

}  // namespace catena
