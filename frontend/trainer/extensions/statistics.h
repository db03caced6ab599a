#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/array.h"

namespace catena::extensions {

/// One number, or several, of all elements of an array.
using Statistic = std::function<std::vector<double>(std::span<const double> values)>;

double mean_of(std::span<const double> values);
double deviation_of(std::span<const double> values);  ///< Of the whole, as numpy.std.
/// For each share in percent the value below which it lies; between two elements linearly, as numpy.percentile.
std::vector<double> percentiles_of(std::span<const double> values, std::span<const double> shares);

/// mean, std, min, max, zeros (how many) and percentile (-3 to 3 standard deviations of a normal distribution).
const std::map<std::string, Statistic>& default_statistics();

std::vector<double> elements_of(const Array& array);  ///< From any device, in float64.

}  // namespace catena::extensions
