#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/shards/shard_stream.h"

namespace catena {

/// What is left when each of the ranks of an order (of any of them) has been given `total` samples,
/// for another number of ranks to divide. The samples of the shards are counted for it; FileError
/// if they cannot be.
ShardRest rest_behind(const std::vector<std::string>& paths, ShardOrder order, int64_t total);

}  // namespace catena
