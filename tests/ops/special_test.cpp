// Special functions against values of 40 digits (special_values.py), over their whole ranges.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ops/by_name/function.h"

namespace catena::testing {
namespace {

struct Point {
    double a, b, y;
};

const std::map<std::string, std::vector<Point>>& points() {
    static const auto all = [] {
        std::map<std::string, std::vector<Point>> made;
#define VALUE(name, a, b, y) made[name].push_back({a, b, y});
#include "tests/ops/special_values.inc"
#undef VALUE
        return made;
    }();
    return all;
}

/// Units in the last place of float32 (of float64: 1e-16) that the worst point may be off. Above 4
/// are those whose argument's rounding inside the formula is magnified: by a pole, by a zero, or by
/// an exponential.
struct Allowed {
    double float32 = 4, float64 = 40;
};
Allowed allowed(const std::string& name) {
    static const std::map<std::string, Allowed> special{
        {"erfcx", {8, 60}},       {"lgamma", {6, 100}}, {"digamma", {6, 200}},
        {"polygamma", {60, 400}}, {"zeta", {12, 200}},
    };
    const auto found = special.find(name);
    return found == special.end() ? Allowed() : found->second;
}

class SpecialFunction : public ::testing::TestWithParam<std::string> {};

void expect_close(const std::string& name, Dtype dtype, double unit, double limit) {
    std::vector<double> a, b, expected;
    for (const Point& point : points().at(name)) {
        a.push_back(point.a);
        b.push_back(point.b);
        expected.push_back(point.y);
    }
    std::vector<Variable> arguments{
        Variable(Array::from(a, {int64_t(a.size())}).astype(dtype), false)};
    if (!std::isnan(b[0]))
        arguments.emplace_back(Array::from(b, {int64_t(b.size())}).astype(dtype), false);
    const std::vector<double> actual =
        call_function(name, arguments)[0].array().to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i) {
        const double off =
            std::abs(actual[i] - expected[i]) / std::abs(expected[i] == 0 ? 1 : expected[i]);
        EXPECT_LE(off / unit, limit) << name << "(" << a[i] << ", " << b[i] << ") is " << actual[i]
                                     << ", not " << expected[i];
    }
}

TEST_P(SpecialFunction, is_exact_to_some_units_in_float32) {
    expect_close(GetParam(), Dtype::float32, 0x1p-23, allowed(GetParam()).float32);
}
TEST_P(SpecialFunction, is_exact_to_some_units_in_float64) {
    expect_close(GetParam(), Dtype::float64, 1e-16, allowed(GetParam()).float64);
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& [name, list] : points()) all.push_back(name);
    return all;
}
INSTANTIATE_TEST_SUITE_P(functions, SpecialFunction, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace catena::testing
