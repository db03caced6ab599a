#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/file/file.h"
#include "runtime/file/zip_entry.h"

namespace catena {

/// Reader of zip archives, zip64 included: what numpy.savez and Chainer write. Archives are checked
/// as they are read; any defect is a FileError with the offset. The directory is checked as a whole
/// before anything is unpacked: entries must not overlap, or declare more than file_limits()
/// allows.
class ZipReader {
public:
    explicit ZipReader(const std::string& path);
    ZipReader(std::string name, std::string content);  ///< An archive in memory.
    const std::vector<ZipEntry>& entries() const { return entries_; }
    const std::string& path() const { return file_.path(); }
    /// The entry's content. Reading its last byte checks the checksum.
    std::unique_ptr<ByteSource> open(const ZipEntry& entry) const;

private:
    void read_directory();
    FileReader file_;
    uint64_t end_of_entries_ = 0;  ///< Offset of the directory.
    std::vector<ZipEntry> entries_;
};

}  // namespace catena
