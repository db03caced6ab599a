#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/trainer/extensions/snapshot/snapshot_writer.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// The names that all ranks with files have in common, in the order of the first of these ranks.
/// `names` is empty and `has_files` false on ranks that have none of their own.
std::vector<std::string> common_names(Communicator& communicator,
                                      const std::vector<std::string>& names, bool has_files = true);

/// The index of the first file that every rank can read from its beginning to its end. `files` are
/// the rank's own in an order that is equal on all ranks, "" where a rank has none of its own.
/// Those before it are reported as damaged, once; FileError, on all ranks, if all are. None if
/// there are no files.
std::optional<size_t> first_whole(Communicator& communicator, const char* what,
                                  const std::vector<std::string>& files,
                                  extensions::SnapshotFormat format);

}  // namespace catena
