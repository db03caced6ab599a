#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/core/system/fork.h"

namespace catena {

/// A persistent cache of machine code and programs: one file per key, named by its fingerprint,
/// replaced atomically, with the key and a checksum. Damaged or unreadable files are ignored; the
/// least recently used are deleted when the limit is exceeded. Failures to write are silent.
class DiskCache {
public:
    /// Opens the cache in `folder`; an empty path means no cache. Because its code is executed, a
    /// folder that others can write to is not used; see problem().
    DiskCache(std::string folder, size_t limit_bytes);
    /// The cache of the process: in the folder CATENA_KERNEL_CACHE (or "off"), else
    /// CATENA_CACHE_DIR/kernels, else catena/kernels in XDG_CACHE_HOME or ~/.cache.
    /// CATENA_KERNEL_CACHE_DISK_MB limits its size, 512 by default.
    static DiskCache& instance();

    std::optional<std::string> find(std::string_view key);
    /// The content that was stored under the key with this fingerprint.
    std::optional<std::string> find_named(const std::string& fingerprint);
    void store(std::string_view key, std::string_view value);

    bool on() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }
    /// The reason why the cache is off although a folder was given.
    const std::string& problem() const { return problem_; }

    struct Counts {
        int64_t found = 0, missed = 0, stored = 0, damaged = 0, deleted = 0;
    };
    Counts counts() const;

private:
    /// The content stored under the key with this fingerprint; `key`, if given, must equal the one
    /// in the file.
    std::optional<std::string> look_up(const std::string& fingerprint, const std::string_view* key);
    void make_room();

    std::string folder_, problem_;
    size_t limit_;
    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    Counts counts_;
    size_t bytes_ = 0;  ///< Size of the folder when last read, plus what was stored since.
    bool read_ = false;
};

/// 32 hexadecimal digits (128 bits of XXH3, https://xxhash.com): for names and against damage, not
/// against forgery.
std::string fingerprint(std::string_view bytes);

}  // namespace catena
