#include "runtime/core/notice.h"

#include <cstdio>
#include <mutex>
#include <set>

#include "runtime/core/fork.h"
#include "runtime/core/per_thread.h"
#include "runtime/core/printable.h"

namespace catena {
namespace {
constinit PerThread<int> quiet_scopes;
}

QuietScope::QuietScope() { ++quiet_scopes.get(); }
QuietScope::~QuietScope() { --quiet_scopes.get(); }

bool is_quiet() { return quiet_scopes.get() > 0; }

void notice_once(const std::string& line) {
    if (is_quiet()) return;
    constexpr size_t most = 1000;
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& printed = *new std::set<std::string>;
    std::lock_guard lock(mutex);
    if (printed.size() >= most || !printed.insert(line).second) return;
    std::fprintf(stderr, "catena: %s\n", printable(line, "\n\t").c_str());
    if (printed.size() == most)
        std::fprintf(stderr, "catena: no more lines of this kind are printed\n");
}

}  // namespace catena
