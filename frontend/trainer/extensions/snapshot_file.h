#pragma once

#include <memory>
#include <string>

#include "frontend/serializer/archive.h"
#include "frontend/trainer/extensions/snapshot_writer.h"

namespace catena::extensions {

/// FileError where it cannot be read.
std::unique_ptr<ArchiveReader> open_snapshot(const std::string& path, SnapshotFormat format);

/// What keeps a file from being read from its beginning to its end; "" if nothing does: what is
/// wrong with it then is that it is another object's.
std::string damage_of(const std::string& path, SnapshotFormat format);

}  // namespace catena::extensions
