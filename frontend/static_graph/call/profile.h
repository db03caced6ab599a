#pragma once

#include <string>
#include <vector>

#include "runtime/profile/profile_scope.h"
#include "runtime/program/schedule/executable.h"

namespace catena {

/// What the launches of a region's compiled programs cost, see StaticGraph::profile().
///
///     {
///         ct::ProfileScope profiling;
///         for (int i = 0; i < 20; ++i) step(x, t);
///     }
///     fmt::print("{}", step.profile().to_string());
struct RegionProfile {
    struct Row {
        std::string program;  ///< "step", "step_backward".
        LaunchReport launch;
        double share = 0;  ///< Of the time of all rows; of their bytes if none was timed.

        double milliseconds() const;  ///< Per call; 0 if it was not timed, as the next two.
        double gigabytes_per_second() const;
        double gigaflops_per_second()
            const;  ///< 0 also for launches without a product or convolution.
    };
    std::string region;
    bool is_timed =
        false;  ///< Some calls were profiled; else the order is that of the bytes moved.
    std::vector<Row> rows;  ///< The most expensive first.

    std::string to_string() const;  ///< A table.
    /// NAME.json: everything that was recorded in this process, as a trace for Perfetto. NAME.csv:
    /// the rows. ValueError for other names; FileError when the file cannot be written.
    void save(const std::string& path) const;
};

}  // namespace catena
