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
    explicit GzipReader(std::string path);  ///< FileError with the system's reason; also for what
                                            ///< is no regular file.
    const std::string& path() const { return path_; }
    /// Up to `bytes` bytes, fewer only at the end. FileError where the file is damaged or cut off.
    size_t read_some(void* to, size_t bytes);
    void read(void* to, size_t bytes);  ///< FileError when there are fewer.
    void finish();  ///< FileError unless this is the end of the content, and the content is whole.
    void read_to_end();  ///< Passes over the rest; FileError unless the content is whole.

private:
    std::string path_;
    std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
    uint64_t read_ = 0;
};

}  // namespace catena
