#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::math_rows {

namespace {

double sign_of(double x) { return std::isnan(x) ? x : double((x > 0) - (x < 0)); }

/// Values whose result has digits to lose.
Row near_zero(const std::string& op, double (*f)(double)) {
    std::vector<double> values;
    for (double x : {-1.0, -0.3, 0.2, 0.7, 1.0, 3.0}) values.push_back(x * 1e-4);
    return {.op = op,
            .note = "near_zero",
            .inputs = {{.shape = {6}, .values = values}},
            .truth = {[f](const References& in) {
                Reference y = in[0];
                for (double& value : y.values) value = f(value);
                return References{y};
            }},
            .dtypes = {Dtype::float32, Dtype::float64},
            .every_digit = true};
}

const int digits = add_rows(taking_whole({
    near_zero("expm1", [](double x) { return std::expm1(x); }),
    near_zero("log1p", [](double x) { return std::log1p(x); }),
    near_zero("sin", [](double x) { return std::sin(x); }),
    near_zero("tan", [](double x) { return std::tan(x); }),
    near_zero("sinh", [](double x) { return std::sinh(x); }),
    near_zero("tanh", [](double x) { return std::tanh(x); }),
    near_zero("erf", [](double x) { return std::erf(x); }),
}));

const int rows = add_rows(taking_whole({
    {.op = "exp", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                     return std::exp(x);
                                                 })},
    {.op = "expm1", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                       return std::expm1(x);
                                                   })},
    {.op = "log", .inputs = {{.shape = {3, 4}, .low = 0.2, .high = 4}}, .truth = each([](double x) {
                                                                            return std::log(x);
                                                                        })},
    {.op = "log1p",
     .inputs = {{.shape = {3, 4}, .low = -0.7, .high = 3}},
     .truth = each([](double x) { return std::log1p(x); })},
    {.op = "log2",
     .inputs = {{.shape = {3, 4}, .low = 0.2, .high = 4}},
     .truth = each([](double x) { return std::log2(x); })},
    {.op = "log10",
     .inputs = {{.shape = {3, 4}, .low = 0.2, .high = 4}},
     .truth = each([](double x) { return std::log10(x); })},
    {.op = "sqrt",
     .inputs = {{.shape = {3, 4}, .low = 0.2, .high = 4}},
     .truth = each([](double x) { return std::sqrt(x); })},
    {.op = "rsqrt",
     .inputs = {{.shape = {3, 4}, .low = 0.4, .high = 4}},
     .truth = each([](double x) { return 1 / std::sqrt(x); })},
    {.op = "square",
     .inputs = {{.shape = {3, 4}, .low = -3, .high = 4}},
     .truth = each([](double x) { return x * x; }),
     .dtypes = all_dtypes()},
    {.op = "reciprocal",
     .inputs = {{.shape = {3, 4}, .low = 0.4, .high = 2}},
     .truth = each([](double x) { return 1 / x; })},
    {.op = "absolute",
     .inputs = {{.shape = {3, 4}, .low = -5, .high = 5}},
     .truth = each([](double x) { return std::abs(x); }),
     .dtypes = all_dtypes()},
    {.op = "sign",
     .inputs = {{.shape = {3, 4}, .low = -5, .high = 5}},
     .truth = each(sign_of),
     .dtypes = all_dtypes(),
     .gradient = false},
    {.op = "floor",
     .inputs = {{.shape = {3, 4}, .low = -5, .high = 5}},
     .truth = each([](double x) { return std::floor(x); }),
     .gradient = false},
    {.op = "ceil",
     .inputs = {{.shape = {3, 4}, .low = -5, .high = 5}},
     .truth = each([](double x) { return std::ceil(x); }),
     .gradient = false},
    {.op = "trunc",
     .inputs = {{.shape = {3, 4}, .low = -5, .high = 5}},
     .truth = each([](double x) { return std::trunc(x); }),
     .gradient = false},
    {.op = "trunc",
     .function = "fix",
     .inputs = {{.shape = {3, 4}, .low = -5, .high = 5}},
     .truth = each([](double x) { return std::trunc(x); }),
     .gradient = false},
    {.op = "sin", .inputs = {{.shape = {3, 4}, .low = -7, .high = 7}}, .truth = each([](double x) {
                                                                           return std::sin(x);
                                                                       })},
    {.op = "cos", .inputs = {{.shape = {3, 4}, .low = -7, .high = 7}}, .truth = each([](double x) {
                                                                           return std::cos(x);
                                                                       })},
    {.op = "tan", .inputs = {{.shape = {3, 4}, .low = -1, .high = 1}}, .truth = each([](double x) {
                                                                           return std::tan(x);
                                                                       })},
    {.op = "sinh", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                      return std::sinh(x);
                                                  })},
    {.op = "cosh", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                      return std::cosh(x);
                                                  })},
    {.op = "tanh", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                      return std::tanh(x);
                                                  })},
    {.op = "erf", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                     return std::erf(x);
                                                 })},
    {.op = "erfc", .inputs = {{.shape = {3, 4}}}, .truth = each([](double x) {
                                                      return std::erfc(x);
                                                  })},
}));

}  // namespace

}  // namespace catena::testing::math_rows
