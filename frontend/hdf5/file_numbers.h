#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/file/file.h"

namespace catena::hdf5 {

// Names and numbers of the parts of a file here and below are those of "HDF5 File Format
// Specification Version 3.0".

/// A reader of little-endian numbers one after the other. FileError behind the last.
class Numbers {
public:
    Numbers(const FileReader& file, uint64_t at, std::string bytes)
        : file_(&file), start_(at), bytes_(std::move(bytes)) {}
    size_t left() const { return bytes_.size() - at_; }
    uint64_t place() const { return start_ + at_; }
    std::string take(uint64_t bytes);
    void skip(uint64_t bytes);
    uint64_t next(size_t bytes);
    /// The bytes at a distance from the start, as a reader.
    Numbers at(uint64_t offset, uint64_t bytes) const;
    /// All bytes (all) or those that are not read yet (rest).
    std::string_view all() const { return bytes_; }
    std::string_view rest() const { return all().substr(at_); }

private:
    void require(uint64_t bytes) const;
    const FileReader* file_;
    uint64_t start_;
    std::string bytes_;
    size_t at_ = 0;
};

/// A reader of numbers at addresses of a file. Its base address and the widths of numbers come from
/// the superblock.
class FileNumbers {
public:
    /// Reads the superblock. FileError where the file has none, or is shorter than it says.
    explicit FileNumbers(const FileReader& file);

    /// Address of the header of the root group.
    uint64_t root() const { return root_; }
    uint64_t size() const { return file_.size() - base_; }
    const std::string& path() const { return file_.path(); }
    size_t address_bytes() const { return address_bytes_; }
    size_t length_bytes() const { return length_bytes_; }

    /// FileError unless so many bytes are in the file.
    void require_inside(uint64_t address, uint64_t bytes) const;
    Numbers read(uint64_t address, uint64_t bytes) const;
    /// Reads that many bytes, which begin with `signature`, and compares the checksum behind them.
    Numbers read_checked(uint64_t address, uint64_t bytes, std::string_view signature) const;
    void read_at(uint64_t address, void* to, size_t bytes) const;
    uint64_t address(Numbers& numbers) const { return numbers.next(address_bytes_); }
    uint64_t length(Numbers& numbers) const { return numbers.next(length_bytes_); }
    bool is_undefined(uint64_t address) const;
    Numbers part(Numbers& of, uint64_t bytes) const;
    /// Throws the FileError "is damaged: WHAT at byte AT".
    [[noreturn]] void damaged(uint64_t at, std::string_view what) const;

private:
    void read_old_superblock(uint64_t version);
    void read_new_superblock();

    const FileReader& file_;
    uint64_t base_ = 0, root_ = 0;
    size_t address_bytes_ = 8, length_bytes_ = 8;
};

}  // namespace catena::hdf5
