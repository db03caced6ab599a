#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frontend/open_sizes.h"

namespace catena {

/// Documents of one program at the runs of its open sizes as one document, in which numbers that differ are functions of
/// the sizes (program::with_sizes). ValueError naming the place that is none.
nlohmann::json merge_runs(const std::vector<nlohmann::json>& documents, const OpenSizes& open);

/// What one number is at open sizes that are none of the runs; none where the program is another there.
using NumberAt = std::function<std::optional<double>(const std::vector<int64_t>& sizes)>;

/// The same for one number: a constant, a function of the open sizes, or the ratio of two, as 1 / n and n / (n - 1) are. What
/// it is where a divisor is not positive is asked, as n / max(n - 1, 1) is 1 at 1. Null when it is something else.
nlohmann::json merge_numbers(const std::vector<double>& seen, const OpenSizes& open, const NumberAt& number_at);

}  // namespace catena
