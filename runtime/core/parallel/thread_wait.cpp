#include "runtime/core/parallel/thread_wait.h"

#include <fmt/format.h>

#include "runtime/wait/openmp_wait.h"

namespace catena {

std::string thread_wait() {
    const std::string count = catena_openmp_spin_count();
    if (count.empty()) return "as OMP_WAIT_POLICY says";
    return fmt::format("looks {} times for work, then sleeps (GOMP_SPINCOUNT)", count);
}

}  // namespace catena
