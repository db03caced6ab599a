#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/named_arrays.h"
#include "frontend/serializer/safetensors_header.h"
#include "frontend/serializer/serializer.h"
#include "runtime/file/file.h"

namespace catena {

// The format of Hugging Face's library safetensors: a header of names, dtypes, shapes and places,
// then the elements. It keeps bfloat16, has no compression, and texts are its metadata.

/// Texts by name that a safetensors file carries beside its arrays: {{"format", "pt"}}.
using SafetensorsMetadata = std::map<std::string, std::string, std::less<>>;

/// A safetensors file open for reading. Every error is a FileError naming file and tensor. A key is
/// a tensor's name, a metadata's name, or one that save_safetensors noted as None.
class SafetensorsFile final : public ArchiveReader {
public:
    explicit SafetensorsFile(const std::string& path);
    const std::string& path() const override { return file_.path(); }
    /// The tensors first, in the header's order.
    std::vector<std::string> keys() const override;
    bool contains(std::string_view key) const override;
    /// The array of that key, in memory of the host; undefined for None. uint16, uint32 and uint64
    /// are read as int32 and int64. FileError for a type that Catena lacks (F8_E4M3, C64), for a
    /// uint64 of 2^63 or more, and with the nearest key when there is no such key.
    Array read(std::string_view key) const override;
    bool is_text(std::string_view key) const override;
    std::string read_text(std::string_view key) const override;
    const SafetensorsMetadata& metadata() const { return header_.metadata; }

private:
    const safetensors::Tensor* find(std::string_view key) const;
    [[noreturn]] void missing(std::string_view key) const;
    FileReader file_;
    safetensors::Header header_;
    std::map<std::string, size_t, std::less<>> numbers_;  ///< The place of a tensor in header_.
    std::set<std::string, std::less<>> none_;
};

/// All arrays of a file, in the header's order: `read_safetensors(path)["W"]`.
NamedArrays read_safetensors(const std::string& path);
/// Loads the arrays of a file, under the name that fits load_safetensors(path, link).
NamedArrays load_safetensors(const std::string& path);
/// Saves arrays in a file that Python's safetensors reads. The file is replaced atomically. An
/// undefined array is noted in the metadata "catena.none". ValueError for a name that is there
/// twice or is "__metadata__", and for texts that are not UTF-8.
void save_safetensors(const std::string& path, const NamedArrays& arrays,
                      const SafetensorsMetadata& metadata = {});

void save_safetensors(const std::string& path, const SerializeFunction& object,
                      const SafetensorsMetadata& metadata = {});
void load_safetensors(const std::string& path, const SerializeFunction& object,
                      const LoadOptions& options = {});

/// Saves or loads an object, as save_npz and load_npz do, with Chainer's keys as names of tensors;
/// its texts become metadata.
template <Serializable T>
void save_safetensors(const std::string& path, T& object,
                      const SafetensorsMetadata& metadata = {}) {
    save_safetensors(path, serialize_function(object), metadata);
}
template <Serializable T>
void load_safetensors(const std::string& path, T& object, const LoadOptions& options = {}) {
    load_safetensors(path, serialize_function(object), options);
}

}  // namespace catena
