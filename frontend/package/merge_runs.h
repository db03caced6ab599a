#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frontend/static_graph/sizes/open_sizes.h"

namespace catena {

/// Merges the JSON documents of one program at several open sizes into one, in which numbers that
/// differ are functions of the sizes (program::with_sizes). ValueError naming the place where no
/// function fits.
nlohmann::json merge_runs(const std::vector<nlohmann::json>& documents, const OpenSizes& open);

/// A function that gives one number of the program at further open sizes; none if the program
/// differs there.
using NumberAt = std::function<std::optional<double>(const std::vector<int64_t>& sizes)>;

/// A number as a function of the open sizes: a constant, a polynomial, or the ratio of two, such as
/// 1 / n and n / (n - 1). Where a divisor is not positive, `number_at` gives the value: n / max(n -
/// 1, 1) is 1 at 1. Null if nothing fits.
nlohmann::json merge_numbers(const std::vector<double>& seen, const OpenSizes& open,
                             const NumberAt& number_at);

}  // namespace catena
