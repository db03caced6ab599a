#pragma once

#include <string>

namespace catena {

/// A text for `catena info`: how a thread of the pool waits for the next parallel loop, "looks 2000
/// times for work, then sleeps (GOMP_SPINCOUNT)". runtime/wait sets the number where the
/// environment does not.
std::string thread_wait();

}  // namespace catena
