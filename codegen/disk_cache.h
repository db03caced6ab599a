#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/core/fork.h"

namespace catena::codegen {

/// A persistent cache of machine code: one file per key, named by its SHA-256, replaced atomically, with a checksum.
/// Damaged or unreadable files are ignored; the least recently used are deleted when the limit is exceeded. Failures to
/// write are silent.
class DiskCache {
public:
    /// Code is executed, so a folder that others can write to is not used; see problem(). An empty path: no cache.
    DiskCache(std::string folder, size_t limit_bytes);
    /// As CATENA_KERNEL_CACHE says (a folder, or "off"), else CATENA_CACHE_DIR/kernels, else XDG_CACHE_HOME or ~/.cache
    /// and then catena/kernels. CATENA_KERNEL_CACHE_DISK_MB bounds it, 512 otherwise.
    static DiskCache& instance();

    std::optional<std::string> find(std::string_view key);
    void store(std::string_view key, std::string_view value);

    bool on() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }
    const std::string& problem() const { return problem_; }  ///< Why the cache is off although a folder was given.

    struct Counts {
        int64_t found = 0, missed = 0, stored = 0, damaged = 0, deleted = 0;
    };
    Counts counts() const;

private:
    void make_room();

    std::string folder_, problem_;
    size_t limit_;
    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    Counts counts_;
    size_t bytes_ = 0;  ///< Size of the folder when last read, plus what was stored since.
    bool read_ = false;
};

std::string sha256_hex(std::string_view bytes);
/// Identifies the compiler's version: the build id of the library (or program) with this code.
const std::string& generator_version();

}  // namespace catena::codegen
