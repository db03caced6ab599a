#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::rnn_rows {

namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

References lstm(const References& in) {
    const Reference &old = in[0], &x = in[1];
    Reference c = old, h({x.dim(0), old.dim(1)});
    for (int64_t n = 0; n < x.dim(0); ++n)
        for (int64_t u = 0; u < old.dim(1); ++u) {
            const double a = std::tanh(x(n, 4 * u)), i = logistic(x(n, 4 * u + 1));
            const double f = logistic(x(n, 4 * u + 2)), o = logistic(x(n, 4 * u + 3));
            c(n, u) = a * i + old(n, u) * f;
            h(n, u) = o * std::tanh(c(n, u));
        }
    return {c, h};
}

const int rows = add_rows({
    {.op = "lstm",
     .inputs = {{.shape = {3, 5}}, {.shape = {3, 20}, .low = -4, .high = 4}},
     .truth = lstm,
     .tolerance = 2,
     .rejects = {{.inputs = {{.shape = {3, 5}}, {.shape = {3, 15}}},
                  .message =
                      "lstm: x should have 4 gates for each of 5 units, so 20 columns; it has 15"},
                 {.inputs = {{.shape = {3, 5}}, {.shape = {4, 20}}},
                  .message = "lstm: x has 4 rows, c_prev only 3 (c_prev [3,5], x [4,20])"},
                 {.inputs = {{.shape = {5}}, {.shape = {4, 20}}},
                  .message = "lstm: takes matrices, c_prev is [5] and x is [4,20]"}}},
    {.op = "lstm",
     .note = "shorter_batch",
     .inputs = {{.shape = {4, 70}}, {.shape = {2, 280}}},
     .truth = lstm,
     .tolerance = 2},
    {.op = "lstm",
     .note = "empty_batch",
     .inputs = {{.shape = {4, 3}}, {.shape = {0, 12}}},
     .truth = lstm},
});

}  // namespace

}  // namespace catena::testing::rnn_rows
