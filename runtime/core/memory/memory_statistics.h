#pragma once

#include <cstddef>

namespace catena {

/// Counters of the host memory pool, for tests and `catena info`.
struct MemoryStatistics {
    size_t bytes_in_use = 0;        ///< Bytes of arrays that are alive.
    size_t peak_bytes = 0;          ///< The largest bytes_in_use since the last reset.
    size_t bytes_reserved = 0;      ///< Bytes obtained from the system, in use or cached.
    size_t system_allocations = 0;  ///< Number of allocations from the system.
    size_t allocations = 0;         ///< Number of allocations from the pool.
};
/// The counters now.
MemoryStatistics cpu_memory_statistics();
/// Sets the peak to what is in use now.
void reset_peak_memory();
/// Gives unused blocks back to the system.
void release_cached_memory();

}  // namespace catena
