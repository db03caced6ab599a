#pragma once

#include <cstdint>

namespace catena {

/// Counters of one region, for tests and diagnosis.
struct StaticGraphStatistics {
    /// Number of calls of the region.
    int64_t calls = 0;
    /// Calls that ran as eager code: regions were switched off, the call was part of another
    /// region, or most calls are new.
    int64_t eager_calls = 0;
    int64_t compiled_calls = 0;  ///< Calls that ran as compiled code as a whole.
    /// Calls of which a part ran with the eager kernels: no compiler, compile_mode, debug mode, an
    /// error.
    int64_t interpreted_calls = 0;
    int64_t followed_calls = 0;  ///< Calls that ran the user's code.
    int64_t mismatches = 0;      ///< Followed calls that took a new path.
    int64_t cuts = 0;            ///< Host reads of computed values, over all calls.
    int64_t programs = 0;        ///< Number of programs made.
    int64_t resized = 0;  ///< Programs planned from programs of other sizes, without compiling.
    /// Programs read from the disk, where an earlier process had stored them.
    int64_t from_disk = 0;
    int64_t dropped = 0;  ///< Programs evicted to save memory.
    /// Seconds of passes and code generation, or of reading programs from the disk.
    double compile_seconds = 0;
    /// Number of followed calls that were timed; never the first of a key.
    int64_t timed_calls = 0;
    /// Seconds of the timed followed calls in the user's code and its recording, without computing.
    double follow_seconds = 0;
    double compute_seconds = 0;  ///< Seconds of the timed followed calls in computing.
    /// Number of calls that were timed while regions were switched off.
    int64_t timed_eager_calls = 0;
    double eager_seconds = 0;  ///< Seconds of the timed eager calls.
};

}  // namespace catena
