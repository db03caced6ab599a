#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "runtime/ops/noise/random.h"
#include "tests/ops/op_table.h"

namespace catena::testing::draws_rows {

namespace {

void seed() { set_seed(11); }
using Verify = std::function<void(const References&, const References&)>;

/// Each number of [0, shares.size()) as often as its share, within five standard errors.
void expect_shares(const std::vector<double>& drawn, const std::vector<double>& shares,
                   int64_t low = 0) {
    const double n = double(drawn.size());
    std::vector<double> hits(shares.size(), 0);
    for (double y : drawn) {
        const double at = y - double(low);
        ASSERT_EQ(at, std::floor(at));
        ASSERT_GE(at, 0);
        ASSERT_LT(at, double(shares.size()));
        ++hits[size_t(at)];
    }
    for (size_t i = 0; i < shares.size(); ++i)
        EXPECT_NEAR(hits[i] / n, shares[i], 5 * std::sqrt(shares[i] * (1 - shares[i]) / n) + 1e-12)
            << i;
}
Verify distributed(std::vector<double> shares, int64_t low = 0) {
    return [=](const References&, const References& out) {
        expect_shares(out[0].values, shares, low);
    };
}

/// The items of the first array, each once, in another order.
void is_permutation_of(const References& in, const References& out) {
    std::vector<double> before = in[0].values, after = out[0].values;
    EXPECT_NE(before, after);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after);
}

void no_item_twice(const References& in, const References& out) {
    EXPECT_EQ(std::set<double>(out[0].values.begin(), out[0].values.end()).size(),
              size_t(out[0].size()));
    for (double y : out[0].values)
        EXPECT_EQ(std::count(in[0].values.begin(), in[0].values.end(), y), 1);
}

std::vector<double> count_to(int64_t n) {
    std::vector<double> values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), 0);
    return values;
}
std::vector<double> logarithms() {
    std::vector<double> values;
    for (int i = 0; i < 1500; ++i)
        for (double p : {0.5, 0.125, 0.0, 0.375}) values.push_back(std::log(p));
    return values;
}

const int rows =
    add_rows({
        {.function = "randint",
         .set = {{"low", "-2"}, {"high", "3"}, {"shape", "(50, 80)"}},
         .verify = distributed({0.2, 0.2, 0.2, 0.2, 0.2}, -2),
         .result = always(Dtype::int64),
         .gradient = false,
         .before = seed,
         .rejects = {{.set = {{"high", "-2"}},
                      .message = "randint: low is -2 and high -2; low must be less than high"},
                     {.set = {{"dtype", "'uint8'"}},
                      .message = "randint: uint8 does not hold all of [-2, 3)"},
                     {.set = {{"dtype", "'float32'"}},
                      .message = "randint: the dtype is float32, an integer one is needed"}}},
        {.function = "randint",
         .note = "bytes",
         .set = {{"low", "254"}, {"high", "256"}, {"shape", "(4000,)"}, {"dtype", "'uint8'"}},
         .verify = distributed({0.5, 0.5}, 254),
         .result = always(Dtype::uint8),
         .gradient = false,
         .before = seed},
        {.function = "permutation",
         .inputs = {{.shape = {40}, .values = count_to(40)}},
         .verify = is_permutation_of,
         .dtypes = all_dtypes(),
         .before = seed},
        {.function = "choice",
         .set = {{"size", "4000"}},
         .inputs = {{.shape = {4}, .values = count_to(4)}, {.absent = true}},
         .verify = distributed({0.25, 0.25, 0.25, 0.25}),
         .dtypes = number_dtypes(),
         .before = seed,
         .rejects = {{.set = {{"replace", "False"}},
                      .message =
                          "choice: cannot draw 4000 of 4 items without repeating any; draw fewer"},
                     {.inputs = {{.shape = {4}}, {.shape = {3}}},
                      .message = "choice: p [3] should have one weight for each of 4 items"}}},
        {.function = "choice",
         .note = "bools",
         .set = {{"size", "4000"}},
         .inputs = {{.shape = {4}, .values = {0, 1, 1, 1}}, {.absent = true}},
         .verify = distributed({0.25, 0.75}),
         .dtypes = {Dtype::bool_},
         .gradient = false,
         .before = seed},
        {.function = "choice",
         .note = "weighted",
         .set = {{"size", "4000"}},
         .inputs = {{.shape = {4}, .values = count_to(4)},
                    {.shape = {4}, .differentiable = false, .values = {1, 0, 2, 5}}},
         .verify = distributed({0.125, 0, 0.25, 0.625}),
         .dtypes = number_dtypes(),
         .before = seed},
        {.function = "choice",
         .note = "without_replacement",
         .set = {{"size", "30"}, {"replace", "False"}},
         .inputs = {{.shape = {40}, .values = count_to(40)}, {.absent = true}},
         .verify = no_item_twice,
         .dtypes = number_dtypes(),
         .before = seed},
        {.function = "choice",
         .note = "weighted_without_replacement",
         .set = {{"size", "3"}, {"replace", "False"}},
         .inputs = {{.shape = {4}, .values = count_to(4)},
                    {.shape = {4}, .differentiable = false, .values = {1, 0, 2, 5}}},
         .verify =
             [](const References&, const References& out) {
                 EXPECT_EQ(std::count(out[0].values.begin(), out[0].values.end(), 1), 0);
             },
         .dtypes = number_dtypes(),
         .before = seed},
        {.function = "random_categorical",
         .set = {{"draws", "2"}},
         .inputs = {{.shape = {1500, 4}, .differentiable = false, .values = logarithms()}},
         .verify = distributed({0.5, 0.125, 0, 0.375}),
         .result = always(Dtype::int32),
         .gradient = false,
         .before = seed,
         .rejects = {{.inputs = {{.shape = {2, 0}}},
                      .message = "the last axis must have classes"}}},
    });

}  // namespace

}  // namespace catena::testing::draws_rows
