#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::loss_rows {

namespace {

double squared(double a, double b) { return (a - b) * (a - b); }
double absolute(double a, double b) { return std::abs(a - b); }
double huber(double x, double t, double delta) {
    const double a = std::abs(x - t);
    return a <= delta ? 0.5 * a * a : delta * (a - 0.5 * delta);
}
/// -log of the probability that the logit x gives to label t.
double logistic_loss(double x, double t) {
    return t == -1 ? 0 : std::log1p(std::exp(-std::abs(x))) - x * (t - (x >= 0 ? 1 : 0));
}

Reference elementwise(const References& in, double (*f)(double, double)) {
    Reference y = in[0];
    for (int64_t i = 0; i < y.size(); ++i) y.values[i] = f(in[0].values[i], in[1].values[i]);
    return y;
}
Truth each_pair(double (*f)(double, double)) {
    return one([=](const References& in) { return elementwise(in, f); });
}
Reference total(const Reference& each, double divisor) {
    Reference y(Shape{});
    for (double value : each.values) y.values[0] += value / divisor;
    return y;
}
Truth mean_of(double (*f)(double, double)) {
    return one(
        [=](const References& in) { return total(elementwise(in, f), double(in[0].size())); });
}
Truth logistic_mean(bool normalize) {
    return one([=](const References& in) {
        double count = 0;
        for (double t : in[1].values) count += t != -1;
        return total(elementwise(in, logistic_loss),
                     normalize ? std::max(count, 1.0) : double(in[0].dim(0)));
    });
}

const std::vector<Input> pair = {{.shape = {3, 4}}, {.shape = {3, 4}}};
const std::vector<Input> logits = {
    {.shape = {3, 2}, .low = -5, .high = 5},
    {.shape = {3, 2}, .dtype = Dtype::int32, .values = {0, 1, -1, 1, 0, 0}}};

// Their squares and sums are beyond the largest number of 16 bits, their means are not.
const std::vector<Input> far_pair = {{.shape = {3, 4}, .low = 100, .high = 140},
                                     {.shape = {3, 4}, .low = -140, .high = -100}};
const std::vector<Input> farther_pair = {{.shape = {3, 4}, .low = 2e4, .high = 3e4},
                                         {.shape = {3, 4}, .low = -3e4, .high = -2e4}};
const std::vector<Input> far_logits = {
    {.shape = {3, 2}, .low = 1e4, .high = 3e4},
    {.shape = {3, 2}, .dtype = Dtype::int32, .values = {0, 0, -1, 0, 0, 0}}};

const int rows = add_rows({
    {.op = "squared_error",
     .inputs = pair,
     .truth = each_pair(squared),
     .tolerance = 2,
     .rejects =
         {{.inputs = {{.shape = {3, 4}}, {.shape = {4}}},
           .message = "squared_error: x0 and x1 should have one shape, they have [3,4] and [4]"},
          {.inputs = {{.shape = {3}}, {.shape = {3}, .dtype = Dtype::float64}},
           .message =
               "squared_error: x0 and x1 should have one dtype, they have float32 and float64"}}},
    {.op = "absolute_error", .inputs = pair, .truth = each_pair(absolute)},
    {.function = "mean_squared_error", .inputs = pair, .truth = mean_of(squared), .tolerance = 2},
    {.function = "mean_absolute_error", .inputs = pair, .truth = mean_of(absolute), .tolerance = 2},
    {.function = "mean_squared_error",
     .note = "large",
     .inputs = far_pair,
     .truth = mean_of(squared),
     .tolerance = 2},
    {.function = "mean_absolute_error",
     .note = "large",
     .inputs = farther_pair,
     .truth = mean_of(absolute),
     .tolerance = 2},
    {.op = "huber_loss",
     .set = {{"delta", "0.7"}},
     .inputs = pair,
     .truth = one([](const References& in) {
         Reference y(Shape{3});
         for (int64_t i = 0; i < 12; ++i)
             y.values[i / 4] += huber(in[0].values[i], in[1].values[i], 0.7);
         return y;
     }),
     .tolerance = 2,
     .rejects = {{.set = {{"reduce", "'mean'"}},
                  .message =
                      "huber_loss: reduce is 'mean' and should be 'sum_along_second_axis' or 'no'"},
                 {.inputs = {{.shape = {3}}, {.shape = {3}}},
                  .message = "huber_loss: x should have a second axis to sum along, it is [3]"}}},
    {.op = "huber_loss",
     .note = "each",
     .set = {{"delta", "0.7"}, {"reduce", "'no'"}},
     .inputs = pair,
     .truth = each_pair([](double x, double t) { return huber(x, t, 0.7); }),
     .tolerance = 2},
    {.op = "sigmoid_cross_entropy",
     .inputs = logits,
     .truth = logistic_mean(true),
     .tolerance = 2,
     .rejects = {{.inputs = {{.shape = {3, 2}}, {.shape = {3}, .dtype = Dtype::int32}},
                  .message = "sigmoid_cross_entropy: t should have x's shape [3,2], it has [3]"},
                 {.set = {{"reduce", "'sum'"}},
                  .message =
                      "sigmoid_cross_entropy: reduce is 'sum' and should be 'mean' or 'no'"}}},
    {.op = "sigmoid_cross_entropy",
     .note = "by_batch",
     .set = {{"normalize", "False"}},
     .inputs = logits,
     .truth = logistic_mean(false),
     .tolerance = 2},
    {.op = "sigmoid_cross_entropy",
     .note = "large",
     .inputs = far_logits,
     .truth = logistic_mean(true),
     .tolerance = 2},
    {.op = "sigmoid_cross_entropy",
     .note = "large_by_batch",
     .set = {{"normalize", "False"}},
     .inputs = far_logits,
     .truth = logistic_mean(false),
     .tolerance = 2},
    {.op = "sigmoid_cross_entropy",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = logits,
     .truth = each_pair(logistic_loss),
     .tolerance = 2},
});

}  // namespace

}  // namespace catena::testing::loss_rows
