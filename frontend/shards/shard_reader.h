#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontend/shards/shard_sample.h"
#include "frontend/shards/tar_name.h"
#include "frontend/shards/tar_reader.h"

namespace catena {

/// The samples of one tar shard, in its order. FileError as TarReader, and where a sample has an
/// extension twice or is larger than file_limits() allow.
class ShardReader {
public:
    /// Opens the shard; FileError if it is missing or no tar archive.
    explicit ShardReader(const std::string& path);
    /// The next sample; none at the end.
    std::optional<ShardSample> next();
    /// Passes over the next sample without reading its content; false at the end.
    bool skip();
    /// The number of samples that were given or passed over.
    int64_t position() const { return position_; }

private:
    /// Goes on to the next file that belongs to a sample.
    void look_ahead();
    void add_file(ShardSample& sample, uint64_t& bytes);
    TarReader tar_;
    std::optional<TarName> ahead_;  ///< The next file, whose content was not read; none at the end.
    uint64_t ahead_bytes_ = 0;
    int64_t position_ = 0;
};

/// The number of samples of a shard. The contents of a plain tar file are not read.
int64_t count_samples(const std::string& path);

}  // namespace catena
