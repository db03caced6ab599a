#include <cmath>

#include <gtest/gtest.h>

#include "runtime/ops/noise/random.h"
#include "tests/ops/op_table.h"

namespace catena::testing::noise_rows {

namespace {

void seed() { set_seed(7); }

/// Mean and variance within five standard errors of what they should be.
std::function<void(const References&, const References&)> distributed(double mean,
                                                                      double variance) {
    return [=](const References&, const References& out) {
        const double n = double(out[0].size());
        double first = 0, second = 0;
        for (double x : out[0].values) first += x / n;
        for (double x : out[0].values) second += (x - mean) * (x - mean) / n;
        EXPECT_NEAR(first, mean, 5 * std::sqrt(variance / n));
        EXPECT_NEAR(second, variance, 15 * variance / std::sqrt(n));
    };
}

/// Elements are 0 or x / (1 - ratio), zeros with frequency `ratio`.
std::function<void(const References&, const References&)> dropped(double ratio) {
    return [=](const References& in, const References& out) {
        const double n = double(in[0].size());
        double zeros = 0;
        for (int64_t i = 0; i < in[0].size(); ++i) {
            const double y = out[0].values[i], kept = in[0].values[i] / (1 - ratio);
            zeros += y == 0;
            if (y != 0) {
                EXPECT_NEAR(y, kept, 1e-2 * (1 + std::abs(kept)));
            }
        }
        EXPECT_NEAR(zeros / n, ratio, 5 * std::sqrt(ratio * (1 - ratio) / n));
    };
}

const std::vector<Input> many = {{.shape = {30, 70}, .low = 1, .high = 2}, {.absent = true}};

const int rows = add_rows({
    {.op = "random_uniform",
     .set = {{"shape", "(100, 90)"}},
     .verify = distributed(0.5, 1.0 / 12),
     .gradient = false,
     .before = seed,
     .rejects = {{.set = {{"dtype", "'int32'"}},
                  .message = "random_uniform: draws floating point numbers, not int32"}}},
    {.op = "random_normal",
     .set = {{"shape", "(100, 90)"}, {"dtype", "'float64'"}},
     .verify = distributed(0, 1),
     .gradient = false,
     .before = seed},
    {.op = "random_advance",
     .function = "random_normal",
     .note = "half",
     .set = {{"shape", "(100, 90)"}, {"dtype", "'float16'"}},
     .verify = distributed(0, 1),
     .gradient = false,
     .before = seed},
    {.op = "dropout",
     .inputs = many,
     .verify = dropped(0.5),
     .before = seed,
     .rejects = {{.set = {{"ratio", "1.0"}},
                  .message = "dropout: ratio is 1 and should be at least 0 and less than 1"},
                 {.inputs = {{.shape = {3, 4}}, {.shape = {3}}},
                  .message = "dropout: the mask should have x's shape [3,4], it has [3]"}}},
    {.op = "drop",
     .function = "dropout",
     .set = {{"ratio", "0.2"}, {"return_mask", "True"}},
     .inputs = many,
     .verify = dropped(0.2),
     .before = seed},
    {.function = "dropout",
     .note = "given_mask",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (int64_t i = 0; i < y.size(); ++i) y.values[i] *= in[1].values[i];
         return y;
     })},
    {.function = "gaussian",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}}, {.shape = {3, 4}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (int64_t i = 0; i < y.size(); ++i)
             y.values[i] += in[2].values[i] * std::exp(in[1].values[i] / 2);
         return y;
     }),
     .dtypes = all_dtypes(),
     .result = beside_a_float,
     .tolerance = 2,
     .rejects =
         {{.inputs = {{.shape = {3, 4}}, {.shape = {3}}, {.shape = {3, 4}}},
           .message =
               "gaussian: mean, ln_var and eps should have one shape, they have [3,4], [3] and"}}},
    {.function = "gaussian",
     .note = "drawn",
     .inputs = {{.shape = {100, 90}, .low = 0, .high = 1e-9, .differentiable = false},
                {.shape = {100, 90}, .low = 0, .high = 1e-9, .differentiable = false},
                {.absent = true}},
     .verify = distributed(0, 1),
     .gradient = false,  // Other bits are drawn in every dtype, so that these cannot be compared.
     .before = seed},
});

TEST(random, equal_seeds_give_equal_numbers_and_successive_calls_others) {
    set_seed(3);
    const auto first = random_uniform({10}).array().to_vector<float>();
    const auto second = random_uniform({10}).array().to_vector<float>();
    set_seed(3);
    EXPECT_EQ(random_uniform({10}).array().to_vector<float>(), first);
    EXPECT_NE(first, second);
}

}  // namespace

}  // namespace catena::testing::noise_rows
