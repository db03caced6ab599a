#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/file/file.h"

namespace catena {

/// One file inside a zip archive.
struct ZipEntry {
    std::string name;
    bool deflated = false;
    uint32_t crc = 0;
    uint64_t packed_bytes = 0;
    uint64_t bytes = 0;
    uint64_t header_offset = 0;
};

/// Reader of zip archives, zip64 included: what numpy.savez and Chainer write. Archives are checked as they are
/// read; any defect is a FileError with the offset. The directory is checked as a whole before anything is
/// unpacked: entries must not overlap, or declare more than file_limits() allows.
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

/// Writer of zip archives. The file is put in place atomically by finish().
class ZipWriter {
public:
    using Sink = std::function<void(const void* from, size_t bytes)>;
    explicit ZipWriter(const std::string& path) : file_(std::make_unique<AtomicFile>(path)) {}
    explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}  ///< Receives the archive piece by piece.
    /// Adds a file whose content add's caller writes through `write` until end().
    void begin(const std::string& name, bool compress);
    void write(const void* from, size_t bytes);
    void end();
    void finish();

private:
    struct Deflater;
    struct DeleteDeflater { void operator()(Deflater* deflater) const; };
    void put_out(const void* from, size_t bytes);
    std::unique_ptr<AtomicFile> file_;
    Sink sink_;  ///< Instead of a file.
    uint64_t offset_ = 0;
    std::vector<ZipEntry> entries_;
    std::unique_ptr<Deflater, DeleteDeflater> deflater_;
};

}  // namespace catena
