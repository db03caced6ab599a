#include "frontend/link/part.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <new>
#include <set>

#include "runtime/core/system/fork.h"

namespace catena {
namespace {

struct Roll {
    std::mutex mutex;
    std::set<const void*, std::less<>> parts;

    Roll() { taken_by_forks(mutex); }
};

std::atomic<uint64_t> changes_so_far = 0;

/// The parts of the process. Never destroyed: links may outlive it otherwise.
Roll& roll() {
    static Roll* roll = new Roll;
    return *roll;
}
[[maybe_unused]] const Roll& made_at_start = roll();  // While there is memory.

}  // namespace

void Part::enroll() noexcept {
    if (kind_ == Kind::state) return;
    note_change();
    try {
        std::lock_guard lock(roll().mutex);
        roll().parts.insert(this);
    } catch (const std::bad_alloc&) {  // Nobody hears of it if no link lists this part.
    }
}

void Part::withdraw() noexcept {
    if (kind_ == Kind::state) return;
    note_change();
    std::lock_guard lock(roll().mutex);
    roll().parts.erase(this);
}

uint64_t Part::changes() noexcept { return changes_so_far.load(std::memory_order_relaxed); }
void Part::note_change() noexcept { changes_so_far.fetch_add(1, std::memory_order_relaxed); }

std::vector<Part*> Part::within(const void* begin, const void* end) {
    std::lock_guard lock(roll().mutex);
    std::vector<Part*> found;
    for (auto at = roll().parts.lower_bound(begin);
         at != roll().parts.end() && std::less<>()(*at, end); ++at)
        found.push_back(static_cast<Part*>(const_cast<void*>(*at)));
    return found;
}

}  // namespace catena
