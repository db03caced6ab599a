#include "tests/fuzz/conditioning.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace catena::fuzz {
namespace {

constexpr int draws = 6;

/// The distance of numbers next to 1.
double rounding_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return 0x1p-52;
        case Dtype::float32:
            return 0x1p-23;
        case Dtype::float16:
            return 0x1p-10;
        default:
            return 0x1p-7;
    }
}

enum class Kind { number, infinity, minus_infinity, nan };

Kind kind_of(double x) {
    if (std::isfinite(x)) return Kind::number;
    return std::isnan(x) ? Kind::nan : x > 0 ? Kind::infinity : Kind::minus_infinity;
}

Variable rounded_otherwise(const Variable& x, std::mt19937_64& random) {
    if (!x.defined() || !is_float(x.dtype())) return x;
    std::vector<double> numbers = x.array().to_vector<double>();
    for (double& number : numbers) number *= 1 + (int(random() % 7) - 3) * rounding_of(x.dtype());
    return Variable(Array::from(numbers, x.shape()).astype(x.dtype()), false);
}

}  // namespace

bool follows_from_rounded_inputs(const std::function<Array(const Values& inputs)>& run,
                                 const Values& inputs, const Array& found) {
    std::mt19937_64 random(1);
    std::vector<std::vector<double>> made{run(inputs).to_vector<double>()};
    for (int draw = 0; draw < draws; ++draw) {
        Values other;
        for (const Variable& x : inputs) other.push_back(rounded_otherwise(x, random));
        made.push_back(run(other).to_vector<double>());
    }
    const std::vector<double> numbers = found.to_vector<double>();
    for (size_t i = 0; i < numbers.size(); ++i) {
        double least = INFINITY, most = -INFINITY;
        bool is_known = false;
        for (const std::vector<double>& values : made) {
            if (values.size() != numbers.size()) return false;
            is_known = is_known || kind_of(values[i]) == kind_of(numbers[i]);
            if (std::isfinite(values[i]))
                least = std::min(least, values[i]), most = std::max(most, values[i]);
        }
        if (!is_known) return false;
        if (!std::isfinite(numbers[i])) continue;
        const double reach = 16 * (most - least) + 1e-12 * std::abs(most);
        if (!(numbers[i] >= least - reach && numbers[i] <= most + reach)) return false;
    }
    return true;
}

}  // namespace catena::fuzz
