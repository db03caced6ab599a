#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/dataset/dataset.h"
#include "runtime/core/memory/owned.h"
#include "runtime/file/file.h"

namespace catena {

// Examples of any shapes in one file, in place of Chainer's PickleDataset: "catena records 2", then
// of each example its length (uint64), the CRC-32 of its bytes (uint32) and the bytes
// (example_bytes.h), all little-endian. The end is a length of 2^64 - 1, the CRC-32 of the number
// of examples, and this number (uint64); files that begin with "catena records 1" lack it.

/// Writes a file of examples, which is there after finish() and replaces an older one.
class RecordDatasetWriter {
public:
    /// Opens the file; FileError when the folder cannot be written.
    explicit RecordDatasetWriter(const std::string& path);
    /// Adds an example at the end; FileError when it cannot be written.
    void write(const Example& example);
    /// Puts the finished file in the place of an older one; FileError when that fails.
    void finish();
    /// Number of examples written so far.
    int64_t size() const { return size_; }

private:
    void write_head(uint64_t bytes, uint32_t crc);
    Owned<AtomicFile> file_;
    int64_t size_ = 0;
};

/// A dataset in a file of RecordDatasetWriter. Examples are read when they are asked for; several
/// threads may read at once. FileError for a file that is not whole, and where a record is damaged.
class RecordDataset final : public DatasetMixin {
public:
    /// Opens a file and finds its records. FileError when it is missing or damaged.
    explicit RecordDataset(const std::string& path);
    int64_t size() const override { return int64_t(begins_->size()); }
    Example get_example(int64_t i) const override;

private:
    std::shared_ptr<const FileReader> file_;
    /// The offsets of the records, in bytes.
    std::shared_ptr<const std::vector<uint64_t>> begins_;
};

}  // namespace catena
