#pragma once

#include <optional>

#include "frontend/link/parameter.h"
#include "runtime/core/system/error.h"

namespace catena {

/// A size that may be left open: none for 0 or none, which mean "from the first input". ValueError
/// beginning with `what` for a negative one.
inline std::optional<int64_t> known(const char* what, std::optional<int64_t> size) {
    if (size && *size < 0)
        fail<ValueError>("{} must be positive, or 0 to take it from the first input, not {}", what,
                         *size);
    return size && *size > 0 ? size : std::nullopt;
}
/// The size as text: "784", or "None" while it is unknown.
inline std::string size_text(std::optional<int64_t> size) {
    return size ? std::to_string(*size) : "None";
}
inline std::string bool_text(bool value) { return value ? "True" : "False"; }

}  // namespace catena
