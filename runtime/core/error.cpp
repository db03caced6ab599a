#include "runtime/core/error.h"

#include "runtime/core/assertion.h"
#include "runtime/core/forget_location.h"
#include "runtime/core/host_language.h"

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

namespace catena {

namespace {

/// Of those that are alive, the outermost one that knows or asks.
thread_local const LocationScope* outermost_scope [[gnu::tls_model("initial-exec")]] = nullptr;

/// Whether a ForgetLocation is alive.
thread_local bool is_forgotten [[gnu::tls_model("initial-exec")]] = false;

std::atomic<AskLocation> host_language = nullptr;

/// Not a line of another language, nor a node of a model.
bool is_of_cpp(const SourceLoc& loc) {
    const std::string_view file = loc.file;
    return file.ends_with(".cpp") || file.ends_with(".h");
}

std::string located(const std::string& message) {
    const std::string place = to_string(current_location());
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

void set_host_language(AskLocation ask) { host_language = ask; }

SourceLoc current_location() {
    if (!outermost_scope) {
        const AskLocation ask = is_forgotten ? nullptr : host_language.load();
        return ask ? ask() : SourceLoc();
    }
    return outermost_scope->ask_ ? outermost_scope->ask_() : outermost_scope->location_;
}

SourceLoc known_location() {
    return outermost_scope && !outermost_scope->ask_ ? outermost_scope->location_ : SourceLoc();
}

LocationScope::LocationScope(const SourceLoc& loc) : previous_(outermost_scope) {
    if (previous_ || loc.line == 0) return;
    std::construct_at(&location_, loc);
    ask_ = is_of_cpp(loc) ? host_language.load() : nullptr;
    outermost_scope = this;
}
LocationScope::LocationScope(AskLocation ask) : previous_(outermost_scope) {
    if (previous_ || !ask) return;
    ask_ = ask;
    outermost_scope = this;
}
LocationScope::~LocationScope() { outermost_scope = previous_; }

ForgetLocation::ForgetLocation()
    : previous_(std::exchange(outermost_scope, nullptr)),
      was_forgotten_(std::exchange(is_forgotten, true)) {}
ForgetLocation::~ForgetLocation() {
    outermost_scope = previous_;
    is_forgotten = was_forgotten_;
}

Error::Error(const std::string& message) : std::runtime_error(located(message)) {}

void assertion_failed(const char* condition, const char* file, int line, const std::string& note) {
    throw AssertionFailed(
        fmt::format("catena: internal error: {} ({} is false at {}:{}); please report this", note,
                    condition, file, line),
        note);
}

}  // namespace catena
