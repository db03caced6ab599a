#pragma once

#include <optional>

#include "frontend/link/parameter.h"

namespace catena {

/// A size that is known: none and 0 mean "from the first input".
inline std::optional<int64_t> known(std::optional<int64_t> size) {
    return size && *size > 0 ? size : std::nullopt;
}
/// "784", or "None" while unknown.
inline std::string size_text(std::optional<int64_t> size) { return size ? std::to_string(*size) : "None"; }
inline std::string bool_text(bool value) { return value ? "True" : "False"; }

}  // namespace catena
