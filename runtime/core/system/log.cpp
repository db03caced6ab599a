#include "runtime/core/system/log.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/system/printable.h"

namespace catena {
namespace {

constexpr int not_known = -1;
std::atomic<int> chosen_level = not_known;

/// Lines are said while statics are destroyed, too.
struct Listener {
    std::mutex mutex;
    std::shared_ptr<const LogCallback> callback;

    Listener() { taken_by_forks(mutex); }
};
Listener& listener() {
    static auto& listener = *new Listener;
    return listener;
}

LogLevel level_of_environment() {
    const std::optional<std::string> word =
        environment::choice("CATENA_LOG", {"quiet", "error", "warning", "info"});
    return !word                ? LogLevel::info
           : *word == "quiet"   ? LogLevel::quiet
           : *word == "error"   ? LogLevel::error
           : *word == "warning" ? LogLevel::warning
                                : LogLevel::info;
}

void print_line(std::string_view line) noexcept {
    try {
        std::fprintf(stderr, "catena: %s\n", printable(line, "\n\t").c_str());
    } catch (...) {  // No memory is left for a copy.
        std::fprintf(stderr, "catena: %.*s\n", int(line.size()), line.data());
    }
    std::fflush(stderr);
}

/// A level that cannot be read is said once, and everything is said then.
LogLevel level_of_what_is_said() noexcept {
    try {
        return log_level();
    } catch (const std::exception& error) {
        chosen_level = int(LogLevel::info);
        print_line(error.what());
        return LogLevel::info;
    }
}

}  // namespace

LogLevel log_level() {
    int level = chosen_level.load();
    if (level == not_known) {
        const int read = int(level_of_environment());
        // Reading may have said something, and so have set it already.
        if (chosen_level.compare_exchange_strong(level, read)) level = read;
    }
    return LogLevel(level);
}

void set_log_level(LogLevel level) { chosen_level = int(level); }

LogCallback set_log_callback(LogCallback callback) {
    auto fresh = callback ? std::make_shared<const LogCallback>(std::move(callback)) : nullptr;
    std::lock_guard lock(listener().mutex);
    const auto before = std::exchange(listener().callback, std::move(fresh));
    return before ? *before : LogCallback();
}

bool has_log_callback() noexcept {
    std::lock_guard lock(listener().mutex);
    return listener().callback != nullptr;
}

bool is_said(LogLevel level) noexcept { return level <= level_of_what_is_said(); }

void say(LogLevel level, std::string_view line) noexcept {
    if (!is_said(level)) return;
    try {
        std::shared_ptr<const LogCallback> callback;
        {
            std::lock_guard lock(listener().mutex);
            callback = listener().callback;
        }
        // Not under the lock: a callback may say something itself, or set another one.
        if (callback) return (*callback)(level, line);
    } catch (...) {
    }
    print_line(line);
}

}  // namespace catena
