#include "runtime/graph/call/code_changes.h"

#include <atomic>

namespace catena {
namespace {

std::atomic<uint64_t> changes_of_code = 0;

}  // namespace

uint64_t code_changes() noexcept { return changes_of_code.load(std::memory_order_relaxed); }
void note_code_change() noexcept { changes_of_code.fetch_add(1, std::memory_order_relaxed); }

}  // namespace catena
