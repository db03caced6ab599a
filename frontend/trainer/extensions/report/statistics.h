#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena::extensions {

/// A function from all elements of an array to one or several numbers.
using Statistic = std::function<std::vector<double>(std::span<const double> values)>;

double mean_of(std::span<const double> values);
/// The population standard deviation, as numpy.std.
double deviation_of(std::span<const double> values);
/// The percentiles for shares in percent, with linear interpolation, as numpy.percentile.
std::vector<double> percentiles_of(std::span<const double> values, std::span<const double> shares);

/// The functions mean, std, min, max, zeros (the number of zeros) and percentile (-3 to 3 standard
/// deviations of a normal distribution).
const std::map<std::string, Statistic>& default_statistics();

/// All elements of an array on any device, in float64.
std::vector<double> elements_of(const Array& array);

}  // namespace catena::extensions
