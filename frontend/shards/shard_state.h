#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace catena {

class Serializer;
class ShardBatches;

/// Saves or loads where batches are, under Chainer's keys what iterators have in common. FileError
/// for a file of other shards. Another number of ranks divides what those of the file have left,
/// sample by sample. `batches` must outlive the loading.
void serialize_shards(ShardBatches& batches, const Serializer& s);

/// A number that lists of shards have in common if the files have the same names, in whatever
/// folders.
int64_t names_hash(const std::vector<std::string>& paths);

}  // namespace catena
