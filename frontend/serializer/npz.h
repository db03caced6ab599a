#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/named_arrays.h"
#include "frontend/serializer/serializer.h"
#include "runtime/file/zip_reader.h"

namespace catena {

/// A .npz file open for reading: arrays by key. Every error is a FileError naming file and key.
class NpzFile final : public ArchiveReader {
public:
    /// Opens a file; FileError when it is missing or damaged.
    explicit NpzFile(const std::string& path);
    /// Reads an archive from the rest of a stream, called `name` in messages.
    explicit NpzFile(std::istream& stream, const std::string& name = "the stream");
    const std::string& path() const override { return zip_.path(); }
    /// The keys, in file order.
    std::vector<std::string> keys() const override;
    bool contains(std::string_view key) const override { return find(key) != nullptr; }
    /// The array of that key; undefined for None. FileError with the nearest key when there is no
    /// such key.
    Array read(std::string_view key) const override;
    bool is_text(std::string_view key) const override;
    std::string read_text(std::string_view key) const override;

private:
    void check_others() const;
    const ZipEntry* find(std::string_view key) const;
    std::unique_ptr<ByteSource> open(std::string_view key) const;
    ZipReader zip_;
};

/// All arrays of a file, in file order: `read_npz(path)["W"]`.
NamedArrays read_npz(const std::string& path);
/// Saves arrays in a file that numpy.load reads. The file is replaced atomically.
void save_npz(const std::string& path, const NamedArrays& arrays, const SaveOptions& options = {});

void save_npz(const std::string& path, const SerializeFunction& object,
              const SaveOptions& options = {});
/// Loads what a function reads. The whole file is checked before the first value changes.
void load_npz(const std::string& path, const SerializeFunction& object,
              const LoadOptions& options = {});
/// Saves arrays in a stream of bytes (std::ios::binary), such as a socket, an archive or memory;
/// the reading functions take streams, too. Streams are written from their present position on,
/// without going back, and read to their end. FileError when that fails.
void save_npz(std::ostream& stream, const NamedArrays& arrays, const SaveOptions& options = {});
void save_npz(std::ostream& stream, const SerializeFunction& object,
              const SaveOptions& options = {});
/// Loads what a function reads from a stream.
void load_npz(std::istream& stream, const SerializeFunction& object,
              const LoadOptions& options = {});

/// Saves a link, optimizer, iterator, updater or trainer under Chainer's keys: "l1/W", None where a
/// parameter is uninitialised; "t", "epoch", "l1/W/m" of an optimizer.
template <Serializable T>
void save_npz(const std::string& path, T& object, const SaveOptions& options = {}) {
    save_npz(path, serialize_function(object), options);
}
/// Loads an object. The whole file is checked before the first value changes. Uninitialised
/// parameters get the file's shape; dtypes are converted, but not from float to integer.
template <Serializable T>
void load_npz(const std::string& path, T& object, const LoadOptions& options = {}) {
    load_npz(path, serialize_function(object), options);
}
/// Saves an object in a stream.
template <Serializable T>
void save_npz(std::ostream& stream, T& object, const SaveOptions& options = {}) {
    save_npz(stream, serialize_function(object), options);
}
/// Loads an object from a stream.
template <Serializable T>
void load_npz(std::istream& stream, T& object, const LoadOptions& options = {}) {
    load_npz(stream, serialize_function(object), options);
}

}  // namespace catena
