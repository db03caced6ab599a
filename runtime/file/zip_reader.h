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
    /// Opens an archive and reads its directory. FileError when it is missing or damaged.
    explicit ZipReader(const std::string& path);
    /// Reads an archive that is in memory; `name` stands for its path in messages.
    ZipReader(std::string name, std::string content);
    /// The files in it, in the archive's order.
    const std::vector<ZipEntry>& entries() const { return entries_; }
    /// The archive's name.
    const std::string& path() const { return file_.path(); }
    /// A reader of the entry's content. Reading its last byte checks the checksum.
    std::unique_ptr<ByteSource> open(const ZipEntry& entry) const;

private:
    void read_directory();
    FileReader file_;
    uint64_t end_of_entries_ = 0;  ///< Offset of the archive's directory, where the entries end.
    std::vector<ZipEntry> entries_;
};

}  // namespace catena
