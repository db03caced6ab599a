#pragma once

namespace catena {

/// Whether this thread works on a part of a parallel loop (runtime/core/parallel/parallel.h): what
/// it calls runs on it alone.
bool in_parallel();

}  // namespace catena
