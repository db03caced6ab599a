// scatter_maximum, scatter_minimum and scatter_multiply.
#include <algorithm>

#include "tests/ops/op_table.h"

namespace catena::testing::scatter_reduce_rows {
namespace {

using Both = double (*)(double, double);

double larger(double a, double b) { return std::max(a, b); }
double smaller(double a, double b) { return std::min(a, b); }
double product(double a, double b) { return a * b; }

/// Rows of b combined with those rows of a, one after the other.
Truth combined(Both both, std::vector<int> rows) {
    return one([=](const References& in) {
        Reference y = in[0];
        for (size_t k = 0; k < rows.size(); ++k)
            for (int j = 0; j < y.dim(1); ++j) {
                double& old = y(rows[k], j);
                old = both(old, in[1](int(k), j));
            }
        return y;
    });
}

Row reducing(const char* op, Both both) {
    return {
        .op = op,
        .set = {{"slices", "[[2, 0, 2]]"}},
        .inputs = {{.shape = {3, 2}}, {.shape = {3, 2}}},
        .truth = combined(both, {2, 0, 2}),
        .dtypes = all_dtypes(),
        .rejects = {{.set = {{"slices", "[[0, 3, 1]]"}}, .message = "index 3 is outside of axis 0"},
                    {.set = {{"slices", "[[0, 1]]"}}, .message = std::string(op) + ": b is [3,2]"},
                    {.inputs = {{.shape = {3, 2}}, {.shape = {3, 2}, .dtype = Dtype::int32}},
                     .message = std::string(op) + ": a is float32 and b int32"}}};
}

const int reductions = add_rows({
    reducing("scatter_maximum", larger),
    reducing("scatter_minimum", smaller),
    reducing("scatter_multiply", product),
    {.op = "scatter_multiply",
     .note = "of_a_view",
     .set = {{"slices", "['::2', '::-1']"}},
     .inputs = {{.shape = {3, 2}}, {.shape = {2, 2}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (int i = 0; i < 2; ++i)
             for (int j = 0; j < 2; ++j) y(2 * i, 1 - j) *= in[1](i, j);
         return y;
     }),
     .dtypes = all_dtypes()},
});

}  // namespace
}  // namespace catena::testing::scatter_reduce_rows
