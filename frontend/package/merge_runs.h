#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frontend/open_sizes.h"

namespace catena {

/// Documents of one program at the runs of its open sizes as one document, in which numbers that differ are functions of
/// the sizes (program::with_sizes). ValueError naming the place that is none.
nlohmann::json merge_runs(const std::vector<nlohmann::json>& documents, const OpenSizes& open);

/// The same for one number: a constant, an affine function, or the ratio of two, as 1 / n and n / (n - 1) are. Null when it is
/// something else.
nlohmann::json merge_numbers(const std::vector<double>& seen, const OpenSizes& open);

}  // namespace catena
