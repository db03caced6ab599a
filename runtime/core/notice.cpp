#include "runtime/core/notice.h"

#include <cstdio>
#include <mutex>
#include <set>

#include "runtime/core/fork.h"

namespace catena {

void notice_once(const std::string& line) {
    constexpr size_t most = 1000;
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& printed = *new std::set<std::string>;
    std::lock_guard lock(mutex);
    if (printed.size() >= most || !printed.insert(line).second) return;
    std::fprintf(stderr, "catena: %s\n", line.c_str());
    if (printed.size() == most) std::fprintf(stderr, "catena: no more lines of this kind are printed\n");
}

}  // namespace catena
