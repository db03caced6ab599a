#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/hdf5/object_header.h"

namespace catena::hdf5 {

/// Names in a group, and the addresses of the objects.
using Links = std::vector<std::pair<std::string, uint64_t>>;

/// The hard links of the group with this header, in the order of the file. Soft and external links
/// are left out, as they may refer to anything.
Links links_of(const FileNumbers& file, const std::vector<Message>& messages);

}  // namespace catena::hdf5
