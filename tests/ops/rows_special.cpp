#include <cmath>
#include <numbers>

#include "tests/ops/op_table.h"

namespace catena::testing::special_rows {
namespace {

constexpr double pi = std::numbers::pi;

// Truths by other means than the formulas: long series, bisection and long doubles.

/// Where the increasing f reaches y.
double inverse(double (*f)(double), double y, double low, double high) {
    if (std::isnan(y)) return y;
    if (y < f(low) || y > f(high)) return NAN;
    if (y == f(low)) return -INFINITY;
    if (y == f(high)) return INFINITY;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (f(middle) < y ? low : high) = middle;
    }
    return (low + high) / 2;
}
double normal_integral(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double minus_erfc(double x) { return -std::erfc(x); }

/// The sum of (q + k)^-x: a million terms, and the integral of the rest.
double hurwitz(double x, double q) {
    long double sum = 0;
    const long double power = -x;
    for (int k = 20000; k-- > 0;) sum += std::pow(static_cast<long double>(q) + k, power);
    const long double w = static_cast<long double>(q) + 20000;
    return double(sum + std::pow(w, 1 + power) / (x - 1) + std::pow(w, power) / 2 +
                  x * std::pow(w, power - 1) / 12);
}
/// By 20000 steps of the recurrence.
double psi(double x) {
    if (std::isnan(x)) return x;
    if (std::isinf(x)) return x > 0 ? x : NAN;
    if (x < 0) return x == std::floor(x) ? NAN : psi(1 - x) - pi / std::tan(pi * x);
    if (x == 0) return -INFINITY;
    long double sum = 0;
    for (int k = 20000; k-- > 0;) sum -= 1 / (static_cast<long double>(x) + k);
    const long double w = static_cast<long double>(x) + 20000;
    return double(sum + std::log(w) - 1 / (2 * w) - 1 / (12 * w * w));
}
double derivative_of_psi(double n, double x) {
    return n == 0 ? psi(x) : (int(n) % 2 ? 1 : -1) * std::tgamma(n + 1) * hurwitz(n + 1, x);
}

Row of_one(const std::string& op, double low, double high, std::function<double(double)> f) {
    return {.op = op,
            .inputs = {{.shape = {3, 4}, .low = low, .high = high}},
            .truth = each(std::move(f))};
}

/// Large arguments have 16-bit results of few digits, so that numbers are compared as they are.
Row wide(Row row, double tolerance) {
    row.note = "wide";
    row.tolerance = tolerance;
    return row;
}

const int rows = add_rows(taking_whole({
    of_one("arcsin", -0.9, 0.9, [](double x) { return std::asin(x); }),
    of_one("arccos", -0.9, 0.9, [](double x) { return std::acos(x); }),
    of_one("arctan", -4, 4, [](double x) { return std::atan(x); }),
    of_one("arcsinh", -4, 4, [](double x) { return std::asinh(x); }),
    of_one("arccosh", 1.3, 5, [](double x) { return std::acosh(x); }),
    of_one("arctanh", -0.8, 0.8, [](double x) { return std::atanh(x); }),
    of_one("exp2", -3, 3, [](double x) { return std::exp2(x); }),
    of_one("sinc", -2.5, 2.5, [](double x) { return x == 0 ? 1 : std::sin(pi * x) / (pi * x); }),
    {.op = "sinc",
     .note = "around_zero",
     .inputs = {{.shape = {5}, .values = {-0.2, -0.05, 0, 0.05, 0.11}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (double& x : y.values) x = x == 0 ? 1 : std::sin(pi * x) / (pi * x);
         return y;
     })},
    of_one("erfcx", -1.5, 3,
           [](double x) {
               return x < -27  ? INFINITY
                      : x > 20 ? 1 / (x * std::sqrt(pi))
                               : std::exp(x * x) * std::erfc(x);
           }),
    of_one("erfinv", -0.9, 0.9,
           [](double x) { return inverse([](double v) { return std::erf(v); }, x, -7, 7); }),
    of_one("erfcinv", 0.1, 1.9, [](double x) { return inverse(minus_erfc, -x, -40, 40); }),
    of_one("ndtr", -3, 3, normal_integral),
    of_one("log_ndtr", -3, 3,
           [](double x) { return std::isinf(x) && x < 0 ? x : std::log(normal_integral(x)); }),
    of_one("ndtri", 0.05, 0.95, [](double p) { return inverse(normal_integral, p, -45, 45); }),
    of_one("lgamma", 0.4, 6, [](double x) { return std::lgamma(x); }),
    wide(of_one("lgamma", -3.9, -3.1, [](double x) { return std::lgamma(x); }), 4),
    of_one("digamma", 0.4, 6, psi),
    wide(of_one("digamma", -1.8, -1.2, psi), 4),
    {.op = "arctan2",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = each([](double a, double b) { return std::atan2(a, b); })},
    {.op = "hypot",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = each([](double a, double b) { return std::hypot(a, b); })},
    {.op = "hypot",
     .note = "corners",
     .inputs = {{.shape = {9},
                 .differentiable = false,
                 .values = {0, 0, 3e30, -3e30, 1e-30, INFINITY, NAN, NAN, -INFINITY}},
                {.shape = {9},
                 .differentiable = false,
                 .values = {0, -2, 4e30, 4e30, -1e-30, NAN, -INFINITY, 1, INFINITY}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (size_t i = 0; i < y.values.size(); ++i)
             y.values[i] = std::hypot(in[0].values[i], in[1].values[i]);
         return y;
     }),
     .gradient = false},
    {.op = "arctan2",
     .note = "corners",
     .inputs = {{.shape = {9},
                 .differentiable = false,
                 .values = {0, 0, 1, -1, 2, -2, INFINITY, INFINITY, -INFINITY}},
                {.shape = {9},
                 .differentiable = false,
                 .values = {1, -1, 0, 0, 2, -2, INFINITY, -INFINITY, 3}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (size_t i = 0; i < y.values.size(); ++i)
             y.values[i] = std::atan2(in[0].values[i], in[1].values[i]);
         return y;
     }),
     .gradient = false},
    {.op = "polygamma",
     .inputs = {{.shape = {3, 4}, .low = 0, .high = 4, .dtype = Dtype::int32},
                {.shape = {3, 4}, .low = 1.2, .high = 4}},
     .truth = {each(derivative_of_psi).of},
     .tolerance = 4},
    {.op = "zeta",
     .inputs = {{.shape = {3, 4}, .low = 1.5, .high = 4, .differentiable = false},
                {.shape = {3, 4}, .low = 0.6, .high = 4}},
     .truth = {each(hurwitz).of},
     .tolerance = 4},
}));

}  // namespace
}  // namespace catena::testing::special_rows
