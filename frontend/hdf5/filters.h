#pragma once

#include <string>

#include "frontend/hdf5/dataset.h"

namespace catena::hdf5 {

/// Decodes a chunk: undoes the filters, except those that `mask` names, and returns at least
/// `wanted` bytes. `element_bytes` is the element size for shuffle where the filter does not give
/// it. Empty, with the reason in `problem`, where the chunk is damaged.
std::string unfiltered(std::string bytes, const std::vector<Filter>& filters, uint64_t mask,
                       uint64_t wanted, uint64_t element_bytes, std::string& problem);

}  // namespace catena::hdf5
