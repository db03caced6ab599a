#pragma once

#include <memory>
#include <string>

#include "runtime/comm/communicator.h"

namespace catena {

/// A training that goes on by itself from the latest snapshot in its folder.
struct ResumedTraining {
    std::string folder;
    bool compiled = false;
    /// Whether the ranks divide a new order of all rows in every epoch, 12 of them in an iteration,
    /// and each notes its rows in its folder's file "rows.RANK", before it computes: a line is the
    /// time of the start, the iteration, and the rows. Otherwise each has a part of the rows.
    bool divided = false;
    int iterations = 12;
    int64_t seed = 3;
    /// Milliseconds that an iteration takes longer, so that it can be killed in any of them.
    int pause = 0;
};

/// The number of rows, four iterations of 12.
inline constexpr int64_t resumed_rows = 48;

/// Trains a small network on shuffled rows, with dropout, by a Trainer with multi_node_snapshot
/// (autoload, a snapshot every second iteration). Returns the bits of all parameters, as a sum.
uint64_t train_and_resume(const std::shared_ptr<Communicator>& communicator,
                          const ResumedTraining& training);

}  // namespace catena
