#pragma once

namespace catena {

/// Whether this thread is running a part of a parallel loop (runtime/core/parallel/parallel.h).
/// Parallel loops that it calls then run on this thread alone.
bool in_parallel();

}  // namespace catena
