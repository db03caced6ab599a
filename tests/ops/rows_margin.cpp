#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::margin_rows {

namespace {

Input labels(std::vector<double> values) {
    return {.shape = {int64_t(values.size())}, .dtype = Dtype::int32, .values = std::move(values)};
}

double beyond(double x) { return std::max(x, 0.0); }

double squared_distance(const Reference& a, const Reference& b, int64_t row) {
    double sum = 0;
    for (int64_t k = 0; k < a.dim(1); ++k) sum += (a(row, k) - b(row, k)) * (a(row, k) - b(row, k));
    return sum;
}

/// One loss per row, or their mean.
Truth of_rows(std::function<double(const References&, int64_t)> f, bool mean) {
    return one([=](const References& in) {
        const int64_t rows = in[0].dim(0);
        Reference each(Shape{rows}), y(Shape{});
        for (int64_t i = 0; i < rows; ++i) {
            each.values[i] = f(in, i);
            y.values[0] += each.values[i] / double(rows);
        }
        return mean ? y : each;
    });
}

double hinge_of(const Reference& x, const Reference& t, int64_t row, int64_t column, int power) {
    const double sign = int64_t(t.values[row]) == column ? -1 : 1;
    return std::pow(beyond(1 + sign * x(row, column)), power);
}
Truth hinge_mean(int power) {
    return of_rows(
        [=](const References& in, int64_t row) {
            double sum = 0;
            for (int64_t k = 0; k < in[0].dim(1); ++k) sum += hinge_of(in[0], in[1], row, k, power);
            return sum;
        },
        true);
}

std::function<double(const References&, int64_t)> triplet_of(double margin) {
    return [=](const References& in, int64_t i) {
        return beyond(squared_distance(in[0], in[1], i) - squared_distance(in[0], in[2], i) +
                      margin);
    };
}
std::function<double(const References&, int64_t)> contrastive_of(double margin) {
    return [=](const References& in, int64_t i) {
        const double squares = squared_distance(in[0], in[1], i), y = in[2].values[i];
        const double near = beyond(margin - std::sqrt(squares));
        return 0.5 * (y * squares + (1 - y) * near * near);
    };
}

const std::vector<Input> scores = {{.shape = {4, 3}}, labels({2, 0, 1, 2})};
const std::vector<Input> three = {{.shape = {4, 3}}, {.shape = {4, 3}}, {.shape = {4, 3}}};
const std::vector<Input> pairs = {{.shape = {4, 3}, .low = -0.5, .high = 0.5},
                                  {.shape = {4, 3}, .low = -0.5, .high = 0.5},
                                  labels({1, 0, 0, 1})};
// Their squares are beyond the largest number of 16 bits; the losses are not.
const std::vector<Input> far = {{.shape = {4, 3}, .low = 400, .high = 401},
                                {.shape = {4, 3}, .low = -100, .high = -99},
                                {.shape = {4, 3}, .low = -101, .high = -100}};

const int rows = add_rows({
    {.function = "hinge",
     .inputs = scores,
     .truth = hinge_mean(1),
     .tolerance = 2,
     .rejects =
         {{.set = {{"norm", "'L3'"}}, .message = "hinge: norm is 'L3' and should be 'L1' or 'L2'"},
          {.set = {{"reduce", "'sum'"}},
           .message = "hinge: reduce is 'sum' and should be 'mean' or 'no'"},
          {.inputs = {{.shape = {4, 3}}, labels({0, 1, 2})},
           .message = "hinge: x should be a matrix and t a vector with an entry for each row, "
                      "they are [4,3] and [3]"},
          {.inputs = {{.shape = {2, 3}}, {.shape = {2}}},
           .message = "hinge: t should be integer, it is float32[2]"},
          {.inputs = {{.shape = {2, 3}}, labels({0, 3})}, .message = "index 3"}}},
    {.function = "hinge",
     .note = "squared",
     .set = {{"norm", "'L2'"}},
     .inputs = scores,
     .truth = hinge_mean(2),
     .tolerance = 4},
    {.function = "hinge",
     .note = "each",
     .set = {{"norm", "'L2'"}, {"reduce", "'no'"}},
     .inputs = scores,
     .truth = one([](const References& in) {
         Reference y = in[0];
         for_each_index(y.shape,
                        [&](const Dims& i) { y[i] = hinge_of(in[0], in[1], i[0], i[1], 2); });
         return y;
     }),
     .tolerance = 4},
    {.function = "triplet",
     .inputs = three,
     .truth = of_rows(triplet_of(0.2), true),
     .tolerance = 8,
     .rejects =
         {{.set = {{"margin", "0"}}, .message = "triplet: margin is 0 and should be positive"},
          {.set = {{"reduce", "'sum'"}},
           .message = "triplet: reduce is 'sum' and should be 'mean' or 'no'"},
          {.inputs = {{.shape = {4, 3}}, {.shape = {4, 3}}, {.shape = {3}}},
           .message =
               "triplet: anchor and negative should have one shape, they have [4,3] and [3]"},
          {.inputs = {{.shape = {3}}, {.shape = {3}}, {.shape = {3}}},
           .message = "triplet: anchor should have a second axis to sum along, it is [3]"}}},
    {.function = "triplet",
     .note = "each",
     .set = {{"margin", "1.5"}, {"reduce", "'no'"}},
     .inputs = three,
     .truth = of_rows(triplet_of(1.5), false),
     .tolerance = 8},
    {.function = "triplet",
     .note = "large",
     .inputs = far,
     .truth = of_rows(triplet_of(0.2), true),
     .tolerance = 8},
    {.op = "length_of",
     .function = "contrastive",
     .inputs = pairs,
     .truth = of_rows(contrastive_of(1), true),
     .tolerance = 4,
     .rejects = {{.set = {{"margin", "-1"}},
                  .message = "contrastive: margin is -1 and should be positive"},
                 {.inputs = {{.shape = {2, 3}}, {.shape = {2, 4}}, labels({0, 1})},
                  .message =
                      "contrastive: x0 and x1 should have one shape, they have [2,3] and [2,4]"}}},
    {.op = "length_of",
     .function = "contrastive",
     .note = "each",
     .set = {{"margin", "0.7"}, {"reduce", "'no'"}},
     .inputs = pairs,
     .truth = of_rows(contrastive_of(0.7), false),
     .tolerance = 4},
});

}  // namespace

}  // namespace catena::testing::margin_rows
