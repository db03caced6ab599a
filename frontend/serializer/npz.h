#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/link/link.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/zip.h"

namespace catena {

using NamedArrays = std::vector<std::pair<std::string, Array>>;

struct SaveOptions {
    bool compression = true;  ///< DEFLATE, as numpy.savez_compressed.
};

struct LoadOptions {
    std::string path;    ///< Prefix of the keys to load, "updater/model:main" of a Chainer snapshot.
    bool strict = true;  ///< A missing key is an error; otherwise what it belongs to stays as it is.
    std::vector<std::string> ignore_names;  ///< Keys that are not looked for.
};

/// A .npz file open for reading: arrays by key. Every error is a FileError naming file and key.
class NpzFile {
public:
    explicit NpzFile(const std::string& path);
    const std::string& path() const { return zip_.path(); }
    std::vector<std::string> keys() const;  ///< In file order.
    bool contains(std::string_view key) const { return find(key) != nullptr; }
    /// Undefined for None; FileError with the nearest key when there is no such key.
    Array read(std::string_view key) const;

private:
    const ZipEntry* find(std::string_view key) const;
    ZipReader zip_;
};

/// All arrays of a file, in file order.
NamedArrays read_npz(const std::string& path);
/// Readable by numpy.load. The file appears when it is complete; an older one of that name stays until then.
void save_npz(const std::string& path, const NamedArrays& arrays, const SaveOptions& options = {});

/// Parameters and persistents under Chainer's keys, "l1/W"; None where a parameter is uninitialised.
void save_npz(const std::string& path, const Link& link, const SaveOptions& options = {});
/// The whole file is checked before the first parameter changes. Uninitialised parameters are given the file's
/// shape; dtypes are converted, but not from float to integer.
void load_npz(const std::string& path, Link& link, const LoadOptions& options = {});

/// Step count, epoch and the moments of every parameter under Chainer's keys: "t", "epoch", "l1/W/t", "l1/W/m".
void save_npz(const std::string& path, Optimizer& optimizer, const SaveOptions& options = {});
void load_npz(const std::string& path, Optimizer& optimizer, const LoadOptions& options = {});

}  // namespace catena
