#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

/// Writes values by key to a file. finish() puts the file in place atomically; until then, or if
/// finish() is never called, an older file of that name remains.
class ArchiveWriter {
public:
    virtual ~ArchiveWriter() = default;
    /// Writes an array under a key; an undefined one is stored as None.
    virtual void write(const std::string& key, const Array& array) = 0;
    /// Writes a text under a key; FileError when that fails.
    virtual void write_text(const std::string& key, std::string_view text) = 0;
    /// Puts the finished file in the place of an older one; FileError when that fails.
    virtual void finish() = 0;
};

/// Reads values by key from a file. Any defect is a FileError that names file and key.
class ArchiveReader {
public:
    virtual ~ArchiveReader() = default;
    /// The file's name.
    virtual const std::string& path() const = 0;
    /// All keys, in the order of the file.
    virtual std::vector<std::string> keys() const = 0;
    /// Whether there is such a key.
    virtual bool contains(std::string_view key) const = 0;
    /// The array of that key; undefined for None.
    virtual Array read(std::string_view key) const = 0;
    /// Whether the value is a text, which read_text() reads.
    virtual bool is_text(std::string_view key) const = 0;
    /// The text of a key.
    virtual std::string read_text(std::string_view key) const = 0;
};

/// The end of the message about a missing key: suggests the nearest of `keys`.
std::string nearest_key(std::string_view key, const std::vector<std::string>& keys);

}  // namespace catena
