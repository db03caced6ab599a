#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct gzFile_s;

namespace catena {

/// The content of a .gz file, from its beginning; a file that is not compressed is its own content.
/// The checksum lies behind the content: who reads less than all of it calls finish() or
/// read_to_end().
class GzipReader {
public:
    /// Opens the file. FileError with the system's reason, also for anything but a regular file.
    explicit GzipReader(std::string path);
    const std::string& path() const { return path_; }
    /// Reads up to `bytes` bytes, fewer only at the end, and returns their number. FileError where
    /// the file is damaged or cut off.
    size_t read_some(void* to, size_t bytes);
    /// Reads exactly `bytes` bytes; FileError when there are fewer.
    void read(void* to, size_t bytes);
    /// Checks that this is the end of the content and that the checksum is right; FileError
    /// otherwise.
    void finish();
    /// Skips the rest and checks the checksum as finish() does.
    void read_to_end();

private:
    std::string path_;
    std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
    uint64_t read_ = 0;
};

}  // namespace catena
