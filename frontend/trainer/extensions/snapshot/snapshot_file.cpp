#include "frontend/trainer/extensions/snapshot/snapshot_file.h"

#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {

std::unique_ptr<ArchiveReader> open_snapshot(const std::string& path, SnapshotFormat format) {
    if (format == SnapshotFormat::hdf5) return open_hdf5(path);
    return std::make_unique<NpzFile>(path);
}

std::string damage_of(const std::string& path, SnapshotFormat format) {
    try {
        return damage_of(*open_snapshot(path, format));
    } catch (const FileError& error) {
        return error.what();
    }
}

std::string damage_of(const ArchiveReader& file) {
    try {
        for (const std::string& key : file.keys()) {
            try {
                file.read(key);
            } catch (const FileError&) {
                file.read_text(key);
            }
        }
        return "";
    } catch (const FileError& error) {
        return error.what();
    }
}

}  // namespace catena::extensions
