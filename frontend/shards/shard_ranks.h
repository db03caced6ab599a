#pragma once

#include <cstdint>

#include "frontend/shards/shard_batches.h"

namespace catena {

class Serializer;

/// What a file has: where a rank is, in which order, and what the epochs are.
struct SavedShards {
    ShardProgress progress;
    ShardOrder order;
    int64_t epoch_size = 0;
};

/// Saves what ranks have begun with.
void save_rest(const ShardRest& rest, const Serializer& s);
/// Loads what the ranks of a file have begun with; FileError for pieces of no shard.
ShardRest loaded_rest(const Serializer& s, int64_t shards);

/// Changes what is saved to where this rank of `batches` goes on. Another number of ranks divides
/// what was left of the shards; where that is not known a pass begins anew, or FileError
/// (BeginAnewScope).
void go_on_by_other_ranks(const ShardBatches& batches, const Serializer& s, SavedShards& saved);

}  // namespace catena
