#include "frontend/shards/shard_reader.h"

#include <algorithm>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"

namespace catena {

ShardReader::ShardReader(const std::string& path) : tar_(path) { look_ahead(); }

void ShardReader::look_ahead() {
    while (const std::optional<TarReader::Entry> entry = tar_.next()) {
        ahead_ = split_tar_name(entry->name);
        ahead_bytes_ = entry->bytes;
        if (ahead_) return;
    }
    ahead_.reset();
}

void ShardReader::add_file(ShardSample& sample, uint64_t& bytes) {
    if (sample.has(ahead_->extension))
        fail<FileError>("{}: is there twice in sample {}", sample.name(ahead_->extension),
                        sample.index);
    bytes += ahead_bytes_;
    if (const uint64_t most = file_limits().bytes; bytes > most && !sample.files.empty())
        fail<FileError>(
            "{}: sample {}, '{}', declares {} bytes; at most {} are allowed; set "
            "CATENA_FILE_LIMIT_MB or call set_file_limits() if you trust it",
            tar_.path(), sample.index, printable_name(sample.key), bytes, most);
    sample.files.emplace_back(std::move(ahead_->extension), tar_.content());
}

std::optional<ShardSample> ShardReader::next() try {
    if (!ahead_) return std::nullopt;
    ShardSample sample{.key = ahead_->key, .shard = tar_.path(), .index = position_, .files = {}};
    uint64_t bytes = 0;
    while (ahead_ && ahead_->key == sample.key) {
        add_file(sample, bytes);
        look_ahead();
    }
    ++position_;
    return sample;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("ShardReader", "next");
}

bool ShardReader::skip() {
    if (!ahead_) return false;
    const std::string key = ahead_->key;
    while (ahead_ && ahead_->key == key) look_ahead();
    ++position_;
    return true;
}

int64_t count_samples(const std::string& path) {
    ShardReader shard(path);
    while (shard.skip()) {
    }
    return shard.position();
}

}  // namespace catena
