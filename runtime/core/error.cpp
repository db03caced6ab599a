#include "runtime/core/error.h"

#include "runtime/core/assertion.h"
#include "runtime/core/forget_location.h"

#include <string_view>

namespace catena {

namespace {

thread_local SourceLoc location [[gnu::tls_model("initial-exec")]];

std::string located(const std::string& message) {
    const std::string place = to_string(location);
    return place.empty() ? message : fmt::format("{} (at {})", message, place);
}

}  // namespace

std::string to_string(const SourceLoc& loc) {
    std::string_view file = loc.file;
    if (loc.line == 0 || file.empty()) return "";
    const size_t quote = file.find('\'');  // Begins the name of a model's node.
    if (const size_t slash = file.rfind('/', quote); slash != file.npos)
        file.remove_prefix(slash + 1);
    return quote == file.npos ? fmt::format("{}:{}", file, loc.line) : std::string(file);
}

SourceLoc current_location() { return location; }

LocationScope::LocationScope(const SourceLoc& loc) : previous_(location) {
    if (previous_.line == 0) location = loc;
}
LocationScope::~LocationScope() { location = previous_; }

ForgetLocation::ForgetLocation() : previous_(location) { location = {}; }
ForgetLocation::~ForgetLocation() { location = previous_; }

Error::Error(const std::string& message) : std::runtime_error(located(message)) {}

void assertion_failed(const char* condition, const char* file, int line, const std::string& note) {
    throw AssertionFailed(
        fmt::format("catena: internal error: {} ({} is false at {}:{}); please report this", note,
                    condition, file, line),
        note);
}

}  // namespace catena
