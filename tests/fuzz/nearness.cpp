#include "tests/fuzz/nearness.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace catena::fuzz {
namespace {

using Numbers = std::vector<double>;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double largest(const Numbers& numbers) {
    double most = 0;
    for (const double n : numbers)
        if (std::isfinite(n)) most = std::max(most, std::abs(n));
    return most;
}

/// Of the elements that are finite in both.
double distance(const Numbers& a, const Numbers& b) {
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i)
        if (std::isfinite(a[i] - b[i])) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

/// Rounding decides whether it is a number: of the two, one is infinite or none.
bool may_overflow(double eager, double truth) {
    return !same(eager, truth) && !std::isfinite(eager - truth);
}

/// What a few operations in a row may lose, relative to the largest element.
double slack_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return 1e-9;
        case Dtype::float32:
            return 1e-4;
        case Dtype::float16:
            return 2e-2;
        default:
            return 1.5e-1;
    }
}

}  // namespace

std::string not_near(const Array& eager, const Array& compiled, const Array* truth, Dtype precision,
                     bool decided, bool wild) {
    if (eager.type() != compiled.type())
        return fmt::format("{} eager, {} compiled", to_string(eager.type()),
                           to_string(compiled.type()));
    if (!is_float(eager.dtype()) && !decided) return "";
    const Numbers e = eager.to_vector<double>(), c = compiled.to_vector<double>();
    const Numbers t = truth && truth->shape() == eager.shape() ? truth->to_vector<double>() : e;
    double allowed = 0;
    if (is_float(eager.dtype()))
        allowed = std::max(slack_of(eager.dtype()), slack_of(precision)) * (1 + largest(t)) +
                  16 * distance(e, t);
    if (wild) allowed *= 100;
    for (size_t i = 0; i < e.size(); ++i)
        if (!same(e[i], c[i]) && !may_overflow(e[i], t[i]) && !(std::abs(e[i] - c[i]) <= allowed))
            return fmt::format("element {} of {} is {} compiled, {} eager{}; {} is allowed", i,
                               e.size(), c[i], e[i],
                               truth ? fmt::format(", {} in float64", t[i]) : "", allowed);
    return "";
}

std::string first_difference(const Array& a, const Array& b) {
    const Numbers x = a.to_vector<double>(), y = b.to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i)
        if (std::memcmp(&x[i], &y[i], sizeof(double)) != 0)
            return fmt::format("element {} is {}, then {}", i, x[i], y[i]);
    return "elements that convert to the same numbers";
}

}  // namespace catena::fuzz
