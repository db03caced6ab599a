// A library of its own, because it must run before OpenMP's, which reads its environment when it is
// loaded (CMakeLists.txt here).
#include "runtime/wait/openmp_wait.h"

#include <cstdlib>

namespace {

/// About 30 microseconds: the next parallel loop of a network mostly comes sooner.
constexpr const char* spin_count = "2000";

/// GNU's OpenMP lets a thread that waits for others look 300,000 times, some milliseconds, before
/// it sleeps. Where another program or thread wants the processor, each of hundreds of loops in a
/// training step loses that time.
[[gnu::constructor]] void limit_spinning() {
    if (!std::getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", spin_count, 0);
}

}  // namespace

const char* catena_openmp_spin_count() {
    const char* count = std::getenv("GOMP_SPINCOUNT");
    return count ? count : "";
}
