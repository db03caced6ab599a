#include "runtime/core/system/notice.h"

#include <mutex>
#include <set>

#include <fmt/format.h>

#include "runtime/core/system/fork.h"
#include "runtime/core/system/per_thread.h"

namespace catena {
namespace {
constinit PerThread<int> quiet_scopes;
}

QuietScope::QuietScope() { ++quiet_scopes.get(); }
QuietScope::~QuietScope() { --quiet_scopes.get(); }

bool is_quiet() { return quiet_scopes.get() > 0; }

void notice_once(const std::string& line, LogLevel level) {
    if (is_quiet() || !is_said(level)) return;
    constexpr size_t most = 1000;
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& told = *new std::set<std::string>;
    bool is_last = false;
    {
        std::lock_guard lock(mutex);
        if (told.size() >= most || !told.insert(line).second) return;
        is_last = told.size() == most;
    }
    say(level, line);
    if (is_last)
        say(level,
            fmt::format("these were {} different notices; further ones are not printed", most));
}

}  // namespace catena
