#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::normalization_rows {

namespace {

Truth layer_normal(double eps) {
    return one([=](const References& in) {
        Reference y = in[0];
        const int64_t n = in[1].size();
        for (int64_t row = 0; row < y.size() / n; ++row) {
            double mean = 0, variance = 0, *x = y.values.data() + row * n;
            for (int64_t i = 0; i < n; ++i) mean += x[i] / double(n);
            for (int64_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean) / double(n);
            for (int64_t i = 0; i < n; ++i)
                x[i] =
                    (x[i] - mean) / std::sqrt(variance + eps) * in[1].values[i] + in[2].values[i];
        }
        return y;
    });
}

/// The place of an element in arrays of statistics: its index without the axes normalised over.
Dims key_of(const Dims& index, const Axes& axes) {
    Dims key;
    for (int i = 0; i < index.rank(); ++i)
        if (!axes.contains(i)) key.push_back(index[i]);
    return key;
}

Reference scaled(const References& in, const Reference& mean, const Reference& variance, double eps,
                 const Axes& axes) {
    Reference y = in[0];
    for_each_index(y.shape, [&](const Dims& i) {
        const Dims key = key_of(i, axes);
        y[i] = (y[i] - mean[key]) / std::sqrt(variance[key] + eps) * in[1][key] + in[2][key];
    });
    return y;
}

Truth batch_normal(double eps, Axes axes) {
    return one([=](const References& in) {
        Reference mean(in[1].shape), variance(in[1].shape);
        const double count = double(in[0].size()) / double(mean.size());
        for_each_index(in[0].shape,
                       [&](const Dims& i) { mean[key_of(i, axes)] += in[0][i] / count; });
        for_each_index(in[0].shape, [&](const Dims& i) {
            const double d = in[0][i] - mean[key_of(i, axes)];
            variance[key_of(i, axes)] += d * d / count;
        });
        return scaled(in, mean, variance, eps, axes);
    });
}

Truth fixed_normal(double eps, Axes axes) {
    return one([=](const References& in) { return scaled(in, in[3], in[4], eps, axes); });
}

const Input none = {.absent = true};

const int rows = add_rows({
    {.op = "layer_normalization",
     .inputs = {{.shape = {3, 40}}, {.shape = {40}}, {.shape = {40}}},
     .truth = layer_normal(1e-5),
     .tolerance = 8,
     .rejects = {{.inputs = {{.shape = {3, 4}}, {.shape = {3}}, {.shape = {4}}},
                  .message = "layer_normalization: gamma should be [4], it is [3] (x [3,4])"},
                 {.inputs = {{.shape = {}}, {.shape = {3}}, {.shape = {4}}},
                  .message =
                      "layer_normalization: x should have rank 1 or more, it is float32[]"}}},
    {.op = "layer_normalization",
     .note = "any_rank",
     .set = {{"eps", "0.1"}},
     .inputs = {{.shape = {2, 3, 5}}, {.shape = {5}}, {.shape = {5}}},
     .truth = layer_normal(0.1),
     .tolerance = 8},
    {.op = "layer_normalization",
     .note = "many_rows",
     .inputs = {{.shape = {700, 33}}, {.shape = {33}}, {.shape = {33}}},
     .truth = layer_normal(1e-5),
     .tolerance = 20},
    {.op = "layer_normalization",
     .note = "no_rows",
     .inputs = {{.shape = {0, 5}}, {.shape = {5}}, {.shape = {5}}},
     .truth = layer_normal(1e-5)},

    {.op = "batch_normalization",
     .inputs = {{.shape = {6, 5}}, {.shape = {5}}, {.shape = {5}}, none, none},
     .truth = batch_normal(2e-5, {0}),
     .tolerance = 10,
     .rejects = {{.inputs = {{.shape = {3, 4}}, {.shape = {4}}, {.shape = {3}}, none, none},
                  .message =
                      "batch_normalization: beta should be [4], it is [3] (x [3,4], axis [0])"}}},
    {.op = "batch_normalization",
     .note = "images",
     .set = {{"eps", "0.01"}},
     .inputs = {{.shape = {3, 4, 3, 2}}, {.shape = {4}}, {.shape = {4}}, none, none},
     .truth = batch_normal(0.01, {0, 2, 3}),
     .tolerance = 10},
    {.op = "batch_normalization",
     .note = "keys_in_front",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {4, 6}}, {.shape = {4}}, {.shape = {4}}, none, none},
     .truth = batch_normal(2e-5, {1}),
     .tolerance = 10},
    {.op = "batch_normalization",
     .note = "keys_around",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {4, 5, 3}}, {.shape = {4, 3}}, {.shape = {4, 3}}, none, none},
     .truth = batch_normal(2e-5, {1}),
     .tolerance = 20},

    {.op = "fixed_batch_normalization",
     .inputs = {{.shape = {3, 4, 3, 2}},
                {.shape = {4}},
                {.shape = {4}},
                {.shape = {4}},
                {.shape = {4}, .low = 0.5, .high = 2}},
     .truth = fixed_normal(2e-5, {0, 2, 3}),
     .tolerance = 4,
     .rejects =
         {{.inputs =
               {{.shape = {3, 4}}, {.shape = {4}}, {.shape = {4}}, {.shape = {3}}, {.shape = {4}}},
           .message = "fixed_batch_normalization: mean should be [4], it is [3] (x [3,4])"}}},
    {.op = "fixed_batch_normalization",
     .note = "axis",
     .set = {{"axis", "(0, 1)"}, {"eps", "0.1"}},
     .inputs = {{.shape = {3, 4, 2}},
                {.shape = {2}},
                {.shape = {2}},
                {.shape = {2}},
                {.shape = {2}, .low = 0.5, .high = 2}},
     .truth = fixed_normal(0.1, {0, 1}),
     .tolerance = 4},
    {.function = "fixed_batch_renormalization",
     .inputs = {{.shape = {3, 4, 2}},
                {.shape = {4}},
                {.shape = {4}},
                {.shape = {4}},
                {.shape = {4}, .low = 0.5, .high = 2}},
     .truth = fixed_normal(2e-5, {0, 2}),
     .tolerance = 4},
});

}  // namespace

}  // namespace catena::testing::normalization_rows
