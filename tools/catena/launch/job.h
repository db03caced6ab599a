#pragma once

#include <string>
#include <vector>

#include "tools/catena/launch/program.h"

namespace catena::tool {

/// How one start of all ranks ended.
struct JobEnd {
    int status = 0;         ///< 0: all ranks succeeded; else of the first that failed, 128 + N for
                            ///< signal N.
    int rank = 0;           ///< The first that failed, if any.
    std::string failure;    ///< "rank 2 has ended with status 3", or "".
    bool was_told = false;  ///< Whether this process was sent a signal, which all ranks got.
};

/// Starts the programs, rank by rank, prints their lines, passes signals on, and returns when all
/// have ended. When one fails the others are ended: by SIGTERM, and by SIGKILL after `grace`
/// seconds.
JobEnd run_job(const std::vector<RankProgram>& programs, bool with_prefix, double grace);

}  // namespace catena::tool
