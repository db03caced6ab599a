#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/serializer.h"
#include "runtime/core/array/array.h"

namespace catena {

/// Stores values by key in memory instead of a file, as Chainer's DictionarySerializer; bytes()
/// makes them transferable between processes.
class MemoryArchive final : public ArchiveWriter, public ArchiveReader {
public:
    MemoryArchive() = default;
    /// An archive with the content of bytes(); FileError, naming `source`, for anything else.
    MemoryArchive(std::string_view bytes, std::string source);
    /// All entries as one text, which the constructor reads.
    std::string bytes() const;

    void write(const std::string& key, const Array& array) override;
    void write_text(const std::string& key, std::string_view text) override;
    void finish() override {}
    const std::string& path() const override { return source_; }
    std::vector<std::string> keys() const override;
    bool contains(std::string_view key) const override;
    Array read(std::string_view key) const override;
    bool is_text(std::string_view key) const override { return texts_.contains(key); }
    std::string read_text(std::string_view key) const override;

private:
    [[noreturn]] void missing(std::string_view key) const;
    std::string source_ = "memory";
    std::map<std::string, Array, std::less<>> arrays_;
    std::map<std::string, std::string, std::less<>> texts_;
};

/// Converts arrays to bytes and back: dtype, shape and elements of each.
std::string pack_arrays(const std::vector<Array>& arrays);
/// The arrays that pack_arrays() has packed; FileError, which names `source`, where the bytes are
/// damaged.
std::vector<Array> unpack_arrays(std::string_view bytes, const std::string& source);

}  // namespace catena
