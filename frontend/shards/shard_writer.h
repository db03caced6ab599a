#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/shards/shard_sample.h"
#include "runtime/core/memory/owned.h"

namespace catena {

class AtomicFile;

/// Options of a ShardWriter.
struct ShardWriterOptions {
    /// The most samples of a shard.
    int64_t most_samples = 10'000;
    /// Bytes of a shard after which the next one begins.
    uint64_t most_bytes = uint64_t(1) << 30;
};

/// Writes samples into tar shards, which ShardIterator, WebDataset and tar read:
///
///     ct::ShardWriter shards("train-%06d.tar");
///     shards.write("000012", {{"jpg", picture}, {"cls", "3"}});
///     shards.finish();
///
/// `%06d` stands for the number of the shard, from 0, with six digits; a name without it is one
/// shard. A shard appears when it is complete, and equal samples give equal files.
class ShardWriter {
public:
    /// No file is opened yet. ValueError for a name with another `%`, and for options below 1.
    explicit ShardWriter(std::string pattern, ShardWriterOptions options = {});
    /// A shard that is not complete is dropped: call finish().
    ~ShardWriter();
    ShardWriter(ShardWriter&&) noexcept;
    ShardWriter& operator=(ShardWriter&&) noexcept;
    /// Extensions and contents of a sample's files.
    using Files = std::vector<std::pair<std::string, std::string>>;
    /// Adds a sample. ValueError for names that would be read otherwise: a key with a dot in its
    /// last part, that of the sample before, or without letters; extensions with large letters or a
    /// slash, or twice. FileError when the shard cannot be written.
    void write(std::string_view key, const Files& files);
    /// Adds a sample with its key and its files.
    void write(const ShardSample& sample) { write(sample.key, sample.files); }
    /// Completes the last shard. FileError when that fails.
    void finish();
    /// The paths of the complete shards.
    const std::vector<std::string>& shards() const { return shards_; }
    /// The number of samples in all shards.
    int64_t size() const { return size_; }

private:
    std::string path(int64_t number) const;
    void add_file(std::string_view name, std::string_view content);
    std::string before_, after_;  ///< The pattern around the number.
    int digits_ = -1;  ///< How many digits a shard's number has; negative: there is one shard.
    ShardWriterOptions options_;
    Owned<AtomicFile> file_;
    std::string last_key_;
    int64_t in_shard_ = 0, size_ = 0;
    std::vector<std::string> shards_;
};

}  // namespace catena
