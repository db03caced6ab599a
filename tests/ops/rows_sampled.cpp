#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::sampled_rows {

namespace {

double product(const Reference& x, int64_t row, const Reference& W, double word) {
    double sum = 0;
    for (int64_t i = 0; i < x.dim(1); ++i) sum += x(row, i) * W(int64_t(word), i);
    return sum;
}

/// Inputs x, t, W, samples.
Truth negative_sampling(bool sum) {
    return one([=](const References& in) {
        Reference each(Shape{in[0].dim(0)}), total(Shape{});
        for (int64_t n = 0; n < in[0].dim(0); ++n) {
            double& loss = each.values[size_t(n)];
            if (in[1].values[size_t(n)] == -1) continue;
            loss = std::log1p(std::exp(-product(in[0], n, in[2], in[1].values[size_t(n)])));
            for (int64_t k = 0; k < in[3].dim(1); ++k)
                loss += std::log1p(std::exp(product(in[0], n, in[2], in[3](n, k))));
            total.values[0] += loss;
        }
        return sum ? total : each;
    });
}

Truth black_out(bool mean) {
    return one([=](const References& in) {
        const int64_t count = in[0].dim(0);
        Reference each(Shape{count}), average(Shape{});
        for (int64_t n = 0; n < count; ++n) {
            const double label = std::exp(product(in[0], n, in[2], in[1].values[size_t(n)]));
            std::vector<double> others;
            double all = label;
            for (int64_t k = 0; k < in[3].dim(1); ++k) {
                others.push_back(std::exp(product(in[0], n, in[2], in[3](n, k))));
                all += others.back();
            }
            double& loss = each.values[size_t(n)];
            loss = -std::log(label / all);
            for (double other : others) loss -= std::log(1 - other / all);
            average.values[0] += loss / double(count);
        }
        return mean ? average : each;
    });
}

Input words(const Shape& shape, std::vector<double> values) {
    return {.shape = shape, .dtype = Dtype::int32, .values = std::move(values)};
}

std::vector<Input> inputs(std::vector<double> t) {
    return {{.shape = {3, 2}},
            words({3}, std::move(t)),
            {.shape = {4, 2}},
            words({3, 2}, {0, 3, 1, 1, 2, 0})};
}
std::vector<Input> with(std::vector<Input> inputs, size_t at, const Input& other) {
    inputs[at] = other;
    return inputs;
}

const int rows = add_rows({
    {.function = "negative_sampling",
     .inputs = inputs({1, -1, 3}),
     .truth = negative_sampling(true),
     .tolerance = 4,
     .rejects =
         {{.set = {{"reduce", "'mean'"}},
           .message = "negative_sampling: reduce is 'mean' and should be 'sum' or 'no'"},
          {.inputs = with(inputs({1, 2, 3}), 2, {.shape = {4, 3}}),
           .message = "negative_sampling: x should be [N,D] and W [V,D], they are [3,2] and [4,3]"},
          {.inputs = with(inputs({1, 2, 3}), 1, words({2}, {1, 2})),
           .message = "negative_sampling: t should be [3], as x is [3,2]; it is [2]"},
          {.inputs = with(inputs({1, 2, 3}), 3, words({2, 2}, {0, 0, 0, 0})),
           .message =
               "negative_sampling: samples should be [3,S], as x is [3,2]; they are [2,2]"}}},
    {.function = "negative_sampling",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = inputs({-1, 0, 2}),
     .truth = negative_sampling(false),
     .tolerance = 4},
    {.function = "black_out",
     .inputs = inputs({1, 0, 3}),
     .truth = black_out(true),
     .tolerance = 16,
     .rejects = {{.set = {{"reduce", "'sum'"}},
                  .message = "black_out: reduce is 'sum' and should be 'mean' or 'no'"}}},
    {.function = "black_out",
     .note = "each",
     .set = {{"reduce", "'no'"}},
     .inputs = inputs({1, 0, 3}),
     .truth = black_out(false),
     .tolerance = 16},
});

}  // namespace

}  // namespace catena::testing::sampled_rows
