#pragma once

#include <string>

namespace catena {

/// What a thread of the pool does until the next parallel loop: "looks 2000 times for work, then
/// sleeps (GOMP_SPINCOUNT)". The loader sets the number where the environment does not
/// (runtime/wait).
std::string thread_wait();

}  // namespace catena
