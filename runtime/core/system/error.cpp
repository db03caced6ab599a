#include "runtime/core/system/error.h"

namespace catena {

namespace {

/// The message with the user's line, which stands once, though an error may quote another one.
std::string located(const std::string& message) {
    const std::string place = to_string(current_location());
    if (place.empty()) return message;
    const std::string at = fmt::format(" (at {})", place);
    return message.ends_with(at) ? message : message + at;
}

}  // namespace

Error::Error(const std::string& message) : std::runtime_error(located(message)) {}

}  // namespace catena
