#pragma once

#include <memory>
#include <string>

#include "frontend/serializer/archive.h"
#include "frontend/trainer/extensions/snapshot/snapshot_writer.h"

namespace catena::extensions {

/// Opens a snapshot for reading. FileError where it cannot be read.
std::unique_ptr<ArchiveReader> open_snapshot(const std::string& path, SnapshotFormat format);

/// The reason why a file cannot be read from its beginning to its end; "" if it can: an error in
/// loading it is then that it holds another object.
std::string damage_of(const std::string& path, SnapshotFormat format);
/// The same of a file that is open.
std::string damage_of(const ArchiveReader& file);

}  // namespace catena::extensions
