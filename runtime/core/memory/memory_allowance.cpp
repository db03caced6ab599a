#include "runtime/core/memory/memory_allowance.h"

#include <algorithm>

#include "runtime/core/memory/memory_statistics.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

constexpr uint64_t endless = ~uint64_t(0);
/// Bytes in use that this thread may reach.
[[gnu::tls_model("initial-exec")]] thread_local uint64_t most = endless;

}  // namespace

MemoryAllowance::MemoryAllowance(uint64_t bytes) : before_(most) {
    uint64_t reached = 0;
    if (!__builtin_add_overflow(uint64_t(cpu_memory_statistics().bytes_in_use), bytes, &reached))
        most = std::min(most, reached);
}

MemoryAllowance::~MemoryAllowance() { most = before_; }

void check_allowance(size_t bytes) {
    if (most == endless) return;
    const uint64_t in_use = cpu_memory_statistics().bytes_in_use;
    if (in_use > most || bytes > most - in_use)
        fail<FileError>(
            "an array of {} bytes is asked for, and {} more are allowed for what a file's model "
            "computes; call set_file_limits() if you trust it",
            bytes, most - std::min(in_use, most));
}

}  // namespace catena
