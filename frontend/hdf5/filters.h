#pragma once

#include <string>

#include "frontend/hdf5/dataset.h"

namespace catena::hdf5 {

/// What a chunk held before it went through the filters, those that `mask` names left out: at least
/// `wanted` bytes. `element_bytes` is what shuffle takes where it does not say. Empty, with the
/// reason in `problem`, where it is damaged.
std::string unfiltered(std::string bytes, const std::vector<Filter>& filters, uint64_t mask,
                       uint64_t wanted, uint64_t element_bytes, std::string& problem);

}  // namespace catena::hdf5
