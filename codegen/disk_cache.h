#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace catena::codegen {

/// Machine code that outlives the process: one file for each key, named by its SHA-256, written beside and renamed,
/// with a checksum. What is damaged or cannot be read is as if it were not there; what was longest unused is deleted
/// when there is too much. Failures to write are silent: a cache may lose anything.
class DiskCache {
public:
    /// Code is executed, so a folder that is not ours alone is not used; see problem(). An empty path: no cache.
    DiskCache(std::string folder, size_t limit_bytes);
    /// As CATENA_KERNEL_CACHE says (a folder, or "off"), else CATENA_CACHE_DIR/kernels, else XDG_CACHE_HOME or ~/.cache
    /// and then catena/kernels. CATENA_KERNEL_CACHE_DISK_MB bounds it, 512 otherwise.
    static DiskCache& instance();

    std::optional<std::string> find(std::string_view key);
    void store(std::string_view key, std::string_view value);

    bool on() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }
    const std::string& problem() const { return problem_; }  ///< Why it is off though a folder was named.

    struct Counts {
        int64_t found = 0, missed = 0, stored = 0, damaged = 0, deleted = 0;
    };
    Counts counts() const;

private:
    void make_room();

    std::string folder_, problem_;
    size_t limit_;
    mutable std::mutex mutex_;
    Counts counts_;
    size_t bytes_ = 0;  ///< As the folder was when it was last read, and what was stored since.
    bool read_ = false;
};

std::string sha256_hex(std::string_view bytes);
/// Changes whenever the compiler does: the build id of the library (or program) that this code is in.
const std::string& generator_version();

}  // namespace catena::codegen
