#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace catena {

/// JSON as Python's json writes it, where NaN and Infinity are numbers too; they become null. FileError, naming
/// `source`, for invalid JSON.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& source);

}  // namespace catena
