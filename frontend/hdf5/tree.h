#pragma once

#include <functional>
#include <vector>

#include "frontend/hdf5/file_numbers.h"

namespace catena::hdf5 {

/// Calls leaf(key, address) for the entries at the lowest level of a B-tree of version 1, in order:
/// of groups (type 0) or chunks (1). FileError if a node occurs twice, since it would be read as
/// often as it is named.
void walk_old_tree(const FileNumbers& file, uint64_t root, uint64_t type, uint64_t key_bytes,
                   const std::function<void(Numbers key, uint64_t address)>& leaf);

/// Calls record(numbers) for each record of a B-tree of version 2, in order; they are of `type`.
void walk_new_tree(const FileNumbers& file, uint64_t head, uint64_t type,
                   const std::function<void(Numbers record)>& record);

}  // namespace catena::hdf5
