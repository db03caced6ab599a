#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/core/parallel/share.h"

namespace catena::program {

/// The pieces of a launch, each a part of a kernel that a thread runs without looking for other
/// work.
struct LaunchPieces {
    /// The pieces in the order in which thread after thread runs them.
    std::vector<WorkPart> pieces;
    /// For each thread, how many pieces are its own or those of threads before it.
    std::vector<int64_t> until;
    int threads() const { return int(until.size()); }
};

/// How many threads kernels that take so long are worth, of `most`.
int threads_for(double nanoseconds, int most);

/// Shares kernels, whose costs are estimated nanoseconds, by share_work(): a thread finds in its
/// cache what it wrote in another launch.
LaunchPieces divide_launch(std::span<const Work> kernels, int threads);

}  // namespace catena::program
