#include "runtime/core/system/location.h"

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace catena {

namespace {

/// One word, since thread_local data must be few bytes (per_thread.h).
class Outermost {
public:
    /// The outermost one of the scopes that are alive which knows or asks; else null.
    const LocationScope* scope() const {
        return reinterpret_cast<const LocationScope*>(word_ & ~forgotten);
    }
    void set_scope(const LocationScope* scope) {
        word_ = reinterpret_cast<uintptr_t>(scope) | (word_ & forgotten);
    }
    /// Whether a ForgetLocation is alive.
    bool is_forgotten() const { return word_ & forgotten; }
    /// Returns what restore() takes.
    uintptr_t forget() { return std::exchange(word_, forgotten); }
    void restore(uintptr_t word) { word_ = word; }

private:
    static constexpr uintptr_t forgotten = 1;
    uintptr_t word_ = 0;
};
thread_local constinit Outermost outermost [[gnu::tls_model("initial-exec")]];

std::atomic<AskLocation> host_language = nullptr;

/// Whether a line is one of C++, not of another language, nor a node of a model.
bool is_of_cpp(const SourceLoc& loc) {
    const std::string_view file = loc.file;
    return file.ends_with(".cpp") || file.ends_with(".h");
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
    const LocationScope* const scope = outermost.scope();
    if (!scope) {
        const AskLocation ask = outermost.is_forgotten() ? nullptr : host_language.load();
        return ask ? ask() : SourceLoc();
    }
    return scope->ask_ ? scope->ask_() : scope->location_;
}

SourceLoc known_location() {
    const LocationScope* const scope = outermost.scope();
    return scope && !scope->ask_ ? scope->location_ : SourceLoc();
}

LocationScope::LocationScope(const SourceLoc& loc) : previous_(outermost.scope()) {
    if (previous_ || loc.line == 0) return;
    std::construct_at(&location_, loc);
    const AskLocation ask = host_language.load(std::memory_order_relaxed);
    ask_ = ask && is_of_cpp(loc) ? ask : nullptr;
    outermost.set_scope(this);
}
LocationScope::LocationScope(AskLocation ask) : previous_(outermost.scope()) {
    if (previous_ || !ask) return;
    ask_ = ask;
    outermost.set_scope(this);
}
LocationScope::~LocationScope() { outermost.set_scope(previous_); }

ForgetLocation::ForgetLocation() : previous_(outermost.forget()) {}
ForgetLocation::~ForgetLocation() { outermost.restore(previous_); }

}  // namespace catena
