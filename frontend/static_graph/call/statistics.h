#pragma once

#include <cstdint>

namespace catena {

/// Counters of one region, for tests and diagnosis.
struct StaticGraphStatistics {
    int64_t calls = 0;
    int64_t eager_calls = 0;     ///< Switched off, part of another region, or while most are new.
    int64_t compiled_calls = 0;  ///< The whole call ran as compiled code.
    int64_t interpreted_calls =
        0;  ///< A part ran with the eager kernels: no compiler, compile_mode, debug mode, an error.
    int64_t followed_calls = 0;  ///< Calls that ran the user's code.
    int64_t mismatches = 0;      ///< Followed calls that took a new path.
    int64_t cuts = 0;            ///< Host reads of computed values, over all calls.
    int64_t programs = 0;        ///< Programs made,
    int64_t resized = 0;  ///< of these planned from the programs of other sizes, without compiling,
    int64_t from_disk = 0;  ///< and read from the disk, where an earlier process left them.
    int64_t dropped = 0;    ///< Programs evicted to save memory.
    double compile_seconds =
        0;                    ///< Time of passes and code generation, or of reading what they made.
    int64_t timed_calls = 0;  ///< Followed calls that were timed; never the first of a key.
    double follow_seconds = 0;      ///< In the user's code and its recording, without computing,
    double compute_seconds = 0;     ///< and in computing.
    int64_t timed_eager_calls = 0;  ///< Calls that were timed while regions were switched off,
    double eager_seconds = 0;       ///< and their time.
};

}  // namespace catena
