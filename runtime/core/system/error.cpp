#include "runtime/core/system/error.h"

namespace catena {

namespace {

std::string located(const std::string& message) {
    const std::string place = to_string(current_location());
    return place.empty() ? message : fmt::format("{} (at {})", message, place);
}

}  // namespace

Error::Error(const std::string& message) : std::runtime_error(located(message)) {}

}  // namespace catena
