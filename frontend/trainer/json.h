#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace catena {

/// Parses JSON as Python's json writes it, where NaN, Infinity and -Infinity are numbers, too.
/// FileError, naming `source`, for invalid JSON and for an object that has a name twice.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& source);
/// Writes JSON as Python's json does; `indent` as the library's dump(): -1 is one line.
std::string json_text(nlohmann::ordered_json json, int indent = -1);

}  // namespace catena
