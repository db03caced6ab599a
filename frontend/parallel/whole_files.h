#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/trainer/extensions/snapshot_writer.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Names that all ranks which have files give, in the order of the first of them. `names` is empty
/// and `has_files` false on ranks that have none of their own.
std::vector<std::string> common_names(Communicator& communicator,
                                      const std::vector<std::string>& names, bool has_files = true);

/// Which of these is the first that every rank can read from its beginning to its end: own files in
/// an order that is the same on all ranks, "" where a rank has none of its own. Those before it are
/// named as damaged, once; FileError, on all ranks, if all are. None of no files.
std::optional<size_t> first_whole(Communicator& communicator, const char* what,
                                  const std::vector<std::string>& files,
                                  extensions::SnapshotFormat format);

}  // namespace catena
