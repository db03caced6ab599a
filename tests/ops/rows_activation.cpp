#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::activation_rows {

namespace {

/// Like C's fmax and fmin, but a NaN wins.
double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }
double smaller(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
}
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double elu(double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); }

/// f(x, w) with w along axis 1 of x.
Truth along_axis_1(double (*f)(double, double)) {
    return one([f](const References& in) {
        Reference y = in[0];
        for_each_index(y.shape, [&](const Dims& i) { y[i] = f(y[i], in[1](i[1])); });
        return y;
    });
}

const std::vector<Input> matrix = {{.shape = {3, 4}}};

const int rows = add_rows({
    {.op = "relu", .inputs = matrix, .truth = each([](double x) { return larger(x, 0); })},
    {.op = "leaky_relu", .inputs = matrix, .truth = each([](double x) {
                                               return x >= 0 ? x : 0.2 * x;
                                           })},
    {.op = "leaky_relu",
     .note = "negative_slope",
     .set = {{"slope", "-0.5"}},
     .inputs = matrix,
     .truth = each([](double x) { return x >= 0 ? x : -0.5 * x; })},
    {.op = "elu", .inputs = matrix, .truth = each([](double x) { return elu(x, 1); })},
    {.op = "elu",
     .note = "negative_alpha",
     .set = {{"alpha", "-0.7"}},
     .inputs = matrix,
     .truth = each([](double x) { return elu(x, -0.7); })},
    {.op = "elu", .function = "selu", .inputs = matrix, .truth = each([](double x) {
                                                            return 1.0507009873554805 *
                                                                   elu(x, 1.6732632423543772);
                                                        })},
    {.op = "gelu",
     .inputs = matrix,
     .truth = each([](double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }),
     .rejects = {{.set = {{"approximate", "'sigmoid'"}},
                  .message = "gelu: approximate 'sigmoid' is neither 'none' nor 'tanh'"}}},
    {.op = "gelu_tanh",
     .function = "gelu",
     .set = {{"approximate", "'tanh'"}},
     .inputs = matrix,
     .truth = each([](double x) {
         return x * 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
     })},
    {.op = "sigmoid", .inputs = {{.shape = {3, 4}, .low = -9, .high = 9}}, .truth = each(logistic)},
    {.op = "sigmoid",
     .note = "small_results",
     .inputs = {{.shape = {5}, .values = {-80, -40, -20, -10, 80}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (double& value : y.values) value = logistic(value);
         return y;
     }),
     .dtypes = {Dtype::float32, Dtype::float64},
     .every_digit = true},
    {.op = "silu", .inputs = matrix, .truth = each([](double x) { return x * logistic(x); })},
    {.op = "swish",
     .inputs = {{.shape = {3, 4}}, {.shape = {4}}},
     .truth = along_axis_1([](double x, double beta) { return x * logistic(beta * x); }),
     .rejects = {{.inputs = {{.shape = {3, 4}}, {.shape = {3}}},
                  .message = "swish: the parameter [3]"}}},
    {.op = "softplus",
     .inputs = matrix,
     .truth = each([](double x) { return larger(x, 0) + std::log1p(std::exp(-std::abs(x))); })},
    {.op = "softplus",
     .note = "beta",
     .set = {{"beta", "3"}},
     .inputs = {{.shape = {3, 4}, .low = -9, .high = 9}},
     .truth = each(
         [](double x) { return (larger(3 * x, 0) + std::log1p(std::exp(-std::abs(3 * x)))) / 3; })},
    {.op = "clipped_relu",
     .set = {{"z", "1.5"}},
     .inputs = matrix,
     .truth = each([](double x) { return smaller(larger(x, 0), 1.5); }),
     .rejects = {{.set = {{"z", "0"}},
                  .message = "clipped_relu: z is 0, it must be greater than 0"}}},
    {.op = "clipped_relu",
     .function = "relu6",
     .inputs = {{.shape = {3, 4}, .low = -4, .high = 9}},
     .truth = each([](double x) { return smaller(larger(x, 0), 6); })},
    {.op = "hard_sigmoid",
     .inputs = {{.shape = {3, 4}, .low = -4, .high = 4}},
     .truth = each([](double x) { return smaller(larger(0.2 * x + 0.5, 0), 1); })},
    {.op = "clip",
     .set = {{"x_min", "-1"}, {"x_max", "1"}},
     .inputs = {{.shape = {3, 4}, .low = -4, .high = 4}},
     .truth = each([](double x) { return smaller(larger(x, -1), 1); }),
     .dtypes = all_dtypes(),
     .result = beside_an_integer,
     .rejects = {{.set = {{"x_min", "2"}}, .message = "clip: x_min 2 is greater than x_max 1"}}},
    {.op = "",
     .function = "clip",
     .note = "no_upper_bound",
     .set = {{"x_min", "-1"}, {"x_max", "None"}},
     .inputs = matrix,
     .truth = each([](double x) { return larger(x, -1); }),
     .dtypes = all_dtypes(),
     .result = beside_an_integer},
    {.op = "",
     .function = "clip",
     .note = "no_lower_bound",
     .set = {{"x_min", "None"}, {"x_max", "1"}},
     .inputs = matrix,
     .truth = each([](double x) { return smaller(x, 1); }),
     .dtypes = all_dtypes(),
     .result = beside_an_integer},
    {.op = "prelu",
     .inputs = {{.shape = {2, 3, 4}}, {.shape = {3}}},
     .truth = along_axis_1([](double x, double w) { return x >= 0 ? x : w * x; }),
     .rejects = {{.inputs = {{.shape = {2, 3}}, {.shape = {2}}},
                  .message = "prelu: the parameter [2]"}}},
    {.op = "",
     .function = "crelu",
     .inputs = {{.shape = {2, 3}}},
     .truth = one([](const References& in) {
         Reference y({2, 6});
         for (int i = 0; i < 2; ++i)
             for (int j = 0; j < 3; ++j) {
                 y(i, j) = larger(in[0](i, j), 0);
                 y(i, j + 3) = larger(-in[0](i, j), 0);
             }
         return y;
     })},
    {.op = "",
     .function = "maxout",
     .set = {{"pool_size", "2"}},
     .inputs = {{.shape = {3, 4}}},
     .truth = one([](const References& in) {
         Reference y({3, 2});
         for (int i = 0; i < 3; ++i)
             for (int j = 0; j < 2; ++j) y(i, j) = larger(in[0](i, 2 * j), in[0](i, 2 * j + 1));
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"pool_size", "3"}}, .message = "which pool_size 3 does not divide"}}},
});

}  // namespace

}  // namespace catena::testing::activation_rows
