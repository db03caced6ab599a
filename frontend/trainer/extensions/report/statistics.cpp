#include "frontend/trainer/extensions/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/array/device.h"

namespace catena::extensions {
namespace {

constexpr double sigmas[] = {0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87};
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mean_of(std::span<const double> values) {
    double sum = 0;
    for (double v : values) sum += v;
    return values.empty() ? nothing : sum / double(values.size());
}

double deviation_of(std::span<const double> values) {
    const double mean = mean_of(values);
    double sum = 0;
    for (double v : values) sum += (v - mean) * (v - mean);
    return values.empty() ? nothing : std::sqrt(sum / double(values.size()));
}

std::vector<double> percentiles_of(std::span<const double> values, std::span<const double> shares) {
    if (values.empty()) return std::vector<double>(shares.size(), nothing);
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }))
        return std::vector<double>(shares.size(), nothing);  // NaN cannot be sorted.
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> result;
    for (double share : shares) {
        const double at = std::clamp(share / 100, 0.0, 1.0) * double(sorted.size() - 1);
        const size_t below = size_t(at), above = std::min(below + 1, sorted.size() - 1);
        result.push_back(sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]));
    }
    return result;
}

const std::map<std::string, Statistic>& default_statistics() {
    using Values = std::span<const double>;
    using Result = std::vector<double>;
    static const auto& all = *new std::map<std::string, Statistic>{
        {"mean", [](Values x) { return Result{mean_of(x)}; }},
        {"std", [](Values x) { return Result{deviation_of(x)}; }},
        {"min",
         [](Values x) {
             return Result{x.empty() ? nothing : *std::min_element(x.begin(), x.end())};
         }},
        {"max",
         [](Values x) {
             return Result{x.empty() ? nothing : *std::max_element(x.begin(), x.end())};
         }},
        {"zeros", [](Values x) { return Result{double(std::count(x.begin(), x.end(), 0.0))}; }},
        {"percentile", [](Values x) { return percentiles_of(x, sigmas); }},
    };
    return all;
}

std::vector<double> elements_of(const Array& array) {
    return array.to(cpu_device()).to_vector<double>();
}

}  // namespace catena::extensions
