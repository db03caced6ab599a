#pragma once

#include <string>
#include <vector>

#include "runtime/profile/machine_shares.h"
#include "runtime/profile/profile_scope.h"
#include "runtime/program/schedule/executable.h"

namespace catena {

/// The costs of the launches of a region's compiled programs, see StaticGraph::profile().
///
///     {
///         ct::ProfileScope profiling;
///         for (int i = 0; i < 20; ++i) step(x, t);
///     }
///     fmt::print("{}", step.profile().to_string());
struct RegionProfile {
    /// The costs of one launch.
    struct Row {
        std::string program;  ///< The program's name: "step", "step_backward".
        /// The launch.
        LaunchReport launch;
        /// The row's share of the time of all rows; of their bytes if none was timed.
        double share = 0;

        /// Milliseconds per call; 0, here and in the next two, if it was not timed.
        double milliseconds() const;
        /// Billions of bytes that the launch reads and writes in a second.
        double gigabytes_per_second() const;
        /// Multiplications and additions a second; 0 also for launches without a product or
        /// convolution.
        double gigaflops_per_second() const;
    };
    /// The name of the region.
    std::string region;
    /// Whether some calls were profiled; else rows are in the order of the bytes moved.
    bool is_timed = false;
    std::vector<Row> rows;  ///< The rows, the most expensive first.

    /// The rows as a table. Behind a launch stands its LaunchReport::method.
    std::string to_string() const;
    /// Saves the profile. NAME.json: everything that was recorded in this process, as a trace for
    /// Perfetto. NAME.csv: the rows. ValueError for other names; FileError when the file cannot be
    /// written.
    void save(const std::string& path) const;
};

/// How much of what its device can do at most each row of a profile used, in the order of the rows.
/// A device is measured where nobody has done so before, which takes seconds; what was measured is
/// kept for later processes.
std::vector<MachineShares> machine_shares(const RegionProfile& profile);
/// As machine_shares(), with 0 for what nobody has measured.
std::vector<MachineShares> known_machine_shares(const RegionProfile& profile);

}  // namespace catena
