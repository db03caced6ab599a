#include <cmath>

#include <gtest/gtest.h>

#include "runtime/ops/noise/random.h"
#include "tests/ops/op_table.h"

namespace catena::testing::randomized_rows {

namespace {

void seed() { set_seed(7); }
using Verify = std::function<void(const References&, const References&)>;

/// Frequency of `hits` within five standard errors of `share`.
void expect_share(double hits, double count, double share) {
    EXPECT_NEAR(hits / count, share, 5 * std::sqrt(share * (1 - share) / count));
}

Verify randomly_sloped(double l, double u) {
    return [=](const References& in, const References& out) {
        double slopes = 0, count = 0;
        for (size_t i = 0; i < in[0].values.size(); ++i) {
            const double x = in[0].values[i], y = out[0].values[i];
            if (x >= 0) {
                EXPECT_EQ(y, x);
                continue;
            }
            EXPECT_GE(y / x, l * 0.99);
            EXPECT_LE(y / x, u * 1.01);
            slopes += y / x;
            ++count;
        }
        EXPECT_NEAR(slopes / count, (l + u) / 2, 5 * (u - l) / std::sqrt(12 * count));
    };
}

Verify from_either(double ratio) {
    return [=](const References& in, const References& out) {
        double kept = 0;
        for (size_t i = 0; i < out[0].values.size(); ++i) {
            const double y = out[0].values[i];
            EXPECT_TRUE(y == in[0].values[i] || y == in[1].values[i]);
            kept += y == in[0].values[i];
        }
        expect_share(kept, double(out[0].size()), ratio);
    };
}

/// Rows are distributions whose largest share is at each place as often as its probability says.
void relaxed_samples(const References& in, const References& out) {
    const Reference &log_pi = in[0], &y = out[0];
    std::vector<double> hits(size_t(y.dim(1)), 0);
    for (int64_t i = 0; i < y.dim(0); ++i) {
        double sum = 0;
        size_t best = 0;
        for (int64_t k = 0; k < y.dim(1); ++k) {
            sum += y(i, k);
            if (y(i, k) > y(i, int64_t(best))) best = size_t(k);
        }
        EXPECT_NEAR(sum, 1, 3e-2);
        ++hits[best];
    }
    for (size_t k = 0; k < hits.size(); ++k)
        expect_share(hits[k], double(y.dim(0)), std::exp(log_pi(0, int64_t(k))));
}

std::vector<double> repeated(std::vector<double> row, int times) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) all.insert(all.end(), row.begin(), row.end());
    return all;
}

/// y = x (W masked)^T / (1 - ratio) + b; inputs x, W, b, mask.
Truth masked_product(double ratio) {
    return one([=](const References& in) {
        const Reference &x = in[0], &W = in[1], &b = in[2], &mask = in[3];
        Reference y(Shape{x.dim(0), W.dim(0)});
        const int64_t features = W.dim(1);
        for_each_index(y.shape, [&](const Dims& i) {
            y[i] = b.values[size_t(i[1])];
            for (int64_t k = 0; k < features; ++k) {
                const double kept = mask.rank() == 3 ? mask(i[0], i[1], k) : mask(i[1], k);
                if (kept != 0)
                    y[i] += x.values[size_t(i[0] * features + k)] * W(i[1], k) / (1 - ratio);
            }
        });
        return y;
    });
}

/// Ones times ones: the share of weights that stay, over 1 - ratio.
Verify shares_of_ones(double ratio, bool each_sample) {
    return [=](const References& in, const References& out) {
        const double features = double(in[1].dim(1));
        double kept = 0;
        bool differ = false;
        for (size_t i = 0; i < out[0].values.size(); ++i) {
            kept += out[0].values[i] * (1 - ratio);
            differ |= std::abs(out[0].values[i] - out[0].values[i % size_t(out[0].dim(1))]) > 1e-3;
        }
        EXPECT_EQ(differ, each_sample);
        const double draws = features * double(each_sample ? out[0].size() : out[0].dim(1));
        expect_share(kept / double(out[0].size()) / features * draws, draws, 1 - ratio);
    };
}

const Input many = {.shape = {30, 70}};
const Input mask = {
    .shape = {4, 3}, .dtype = Dtype::bool_, .values = {1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1}};
std::vector<Input> connected(Input m) {
    return {{.shape = {2, 3}}, {.shape = {4, 3}}, {.shape = {4}}, m};
}
const Input each_mask = {
    .shape = {2, 4, 3}, .dtype = Dtype::bool_, .values = repeated(mask.values, 2)};
std::vector<Input> ones() {
    return {{.shape = {20, 64}, .low = 1, .high = 1},
            {.shape = {16, 64}, .low = 1, .high = 1},
            {.absent = true},
            {.absent = true}};
}

const int rows = add_rows({
    {.function = "rrelu",
     .inputs = {many, {.absent = true}},
     .verify = randomly_sloped(1.0 / 8, 1.0 / 3),
     .dtypes = float_dtypes(),
     .before = seed,
     .rejects = {{.set = {{"l", "0.5"}}, .message = "rrelu: l is 0.5 and u 0.333"},
                 {.inputs = {many, {.shape = {70}}},
                  .message = "rrelu: r should be float32[30,70], as x; it is float32[70]"}}},
    {.function = "rrelu",
     .note = "given",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}, .low = 0.1, .high = 0.9}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (size_t i = 0; i < y.values.size(); ++i)
             if (y.values[i] < 0) y.values[i] *= in[1].values[i];
         return y;
     })},
    {.function = "zoneout",
     .set = {{"ratio", "0.3"}},
     .inputs = {many, many},
     .verify = from_either(0.3),
     .before = seed,
     .rejects = {{.set = {{"ratio", "1"}},
                  .message = "zoneout: ratio is 1 and should be at least 0 and less than 1"},
                 {.inputs = {{.shape = {3}}, {.shape = {4}}},
                  .message = "zoneout: h and x should be floating point and of one type, they are "
                             "float32[3] and float32[4]"}}},
    {.function = "gumbel_softmax",
     .set = {{"tau", "0.5"}},
     .inputs = {{.shape = {600, 3},
                 .values = repeated({std::log(0.5), std::log(0.2), std::log(0.3)}, 600)}},
     .verify = relaxed_samples,
     .before = seed,
     .tolerance = 8},
    {.function = "simplified_dropconnect",
     .inputs = connected(each_mask),
     .truth = masked_product(0.5),
     .tolerance = 8,
     .rejects =
         {{.inputs = {{.shape = {2, 3}}, {.shape = {4, 2}}},
           .message =
               "simplified_dropconnect: W should be [M,K] for the K features of a sample of x, "
               "they are [4,2] and [2,3]"},
          {.inputs = {{.shape = {2, 3}}, {.shape = {4, 3}}, {.shape = {3}}},
           .message = "simplified_dropconnect: b should be [4], it is [3] (W [4,3])"},
          {.inputs = connected({.shape = {3}, .dtype = Dtype::bool_}),
           .message = "simplified_dropconnect: mask should be [2,4,3] or [4,3], it is [3]"},
          {.set = {{"ratio", "-0.5"}},
           .message =
               "simplified_dropconnect: ratio is -0.5 and should be at least 0 and less than 1"}}},
    {.function = "simplified_dropconnect",
     .note = "one_mask",
     .set = {{"ratio", "0.2"}, {"use_batchwise_mask", "False"}},
     .inputs = connected(mask),
     .truth = masked_product(0.2),
     .tolerance = 8},
    {.function = "simplified_dropconnect",
     .note = "test",
     .set = {{"train", "False"}},
     .inputs = {{.shape = {2, 3}}, {.shape = {4, 3}}, {.shape = {4}}, {.absent = true}},
     .truth = one([](const References& in) {
         References all = in;
         all.emplace_back(in[1].shape, 1.0);
         return masked_product(0).of(all)[0];
     }),
     .tolerance = 8},
    {.function = "simplified_dropconnect",
     .note = "drawn",
     .set = {{"ratio", "0.25"}},
     .inputs = ones(),
     .verify = shares_of_ones(0.25, true),
     .before = seed,
     .tolerance = 8},
    {.function = "simplified_dropconnect",
     .note = "drawn_once",
     .set = {{"ratio", "0.25"}, {"use_batchwise_mask", "False"}},
     .inputs = ones(),
     .verify = shares_of_ones(0.25, false),
     .before = seed,
     .tolerance = 8},
});

}  // namespace

}  // namespace catena::testing::randomized_rows
