#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::reduction_rows {

namespace {

using Values = std::vector<double>;

/// f of the elements along the axes (row-major), for each index of the others.
Truth along(std::vector<int> axes, bool keepdims, double (*f)(const Values&)) {
    return one([=](const References& in) {
        const auto reduced = [&](int axis) {
            return std::find(axes.begin(), axes.end(), axis) != axes.end();
        };
        Shape shape;
        for (int i = 0; i < in[0].rank(); ++i) {
            if (!reduced(i))
                shape.push_back(in[0].dim(i));
            else if (keepdims)
                shape.push_back(1);
        }
        Reference y(shape);
        std::vector<Values> groups(y.values.size());
        for_each_index(in[0].shape, [&](const Dims& index) {
            Dims at;
            for (int i = 0; i < index.rank(); ++i) {
                if (!reduced(i))
                    at.push_back(index[i]);
                else if (keepdims)
                    at.push_back(0);
            }
            groups[size_t(y.offset(at))].push_back(in[0][index]);
        });
        for (size_t i = 0; i < groups.size(); ++i) y.values[i] = f(groups[i]);
        return y;
    });
}

double sum(const Values& v) {
    double total = 0;
    for (double x : v) total += x;
    return total;
}
double product(const Values& v) {
    double total = 1;
    for (double x : v) total *= x;
    return total;
}
double largest(const Values& v) {
    double best = v[0];
    for (double x : v) best = std::isnan(best) || x <= best ? best : x;
    return best;
}
double smallest(const Values& v) {
    double best = v[0];
    for (double x : v) best = std::isnan(best) || x >= best ? best : x;
    return best;
}
double mean(const Values& v) { return sum(v) / double(v.size()); }
double log_sum_exp(const Values& v) {
    const double shift = std::isfinite(largest(v)) ? largest(v) : 0;
    double total = 0;
    for (double x : v) total += std::exp(x - shift);
    return shift + std::log(total);
}
double place_of_largest(const Values& v) {
    for (size_t i = 0; i < v.size(); ++i)
        if (std::isnan(v[i])) return double(i);
    return double(std::max_element(v.begin(), v.end()) - v.begin());
}
double place_of_smallest(const Values& v) {
    for (size_t i = 0; i < v.size(); ++i)
        if (std::isnan(v[i])) return double(i);
    return double(std::min_element(v.begin(), v.end()) - v.begin());
}

Dtype wide(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::int64; }

const std::vector<Input> cube = {{.shape = {2, 3, 4}}};
const std::vector<Input> with_nan = {
    {.shape = {2, 4}, .values = {1, NAN, 3, NAN, 5, -INFINITY, INFINITY, 2}}};
const std::vector<Dtype> wide_floats = {Dtype::float32, Dtype::float64};

/// Of the rows of [2,3], with weights along them.
const Truth weighted_average = one([](const References& in) {
    Reference y({2});
    const double total = sum(in[1].values);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) y(i) += in[0](i, j) * in[1](j) / total;
    return y;
});

const int rows = add_rows({
    {.op = "sum",
     .inputs = cube,
     .truth = along({0, 1, 2}, false, sum),
     .dtypes = all_dtypes(),
     .result = wide,
     .rejects = {{.set = {{"axis", "3"}}, .message = "sum"}}},
    {.op = "sum",
     .note = "axes",
     .set = {{"axis", "(-1, 0)"}},
     .inputs = cube,
     .truth = along({0, 2}, false, sum),
     .dtypes = all_dtypes(),
     .result = wide},
    {.op = "sum",
     .note = "keepdims",
     .set = {{"axis", "1"}, {"keepdims", "True"}},
     .inputs = cube,
     .truth = along({1}, true, sum),
     .dtypes = all_dtypes(),
     .result = wide},
    {.op = "sum", .note = "scalar", .inputs = {{.shape = {}}}, .truth = along({}, false, sum)},
    {.op = "sum",
     .note = "empty",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {0, 3}}},
     .truth = along({0}, false, sum)},
    {.op = "sum",
     .note = "long",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {3, 2053}}},
     .truth = along({1}, false, sum),
     .dtypes = wide_floats,
     .tolerance = 100},
    {.op = "prod",
     .set = {{"axis", "1"}},
     .inputs = cube,
     .truth = along({1}, false, product),
     .dtypes = all_dtypes(),
     .result = wide},
    {.op = "prod",
     .note = "with_zeros",
     .set = {{"axis", "1"}, {"keepdims", "True"}},
     .inputs = {{.shape = {3, 3}, .values = {1, 0, 3, 0, 0, 2, 0.5, -1, 2}}},
     .truth = along({1}, true, product),
     .dtypes = wide_floats},
    {.op = "prod",
     .note = "all",
     .inputs = {{.shape = {2, 3}}},
     .truth = along({0, 1}, false, product)},
    {.op = "prod_others",
     .inputs = {{.shape = {2, 3}, .values = {1, 0, 3, 0.5, -1, 2}}},
     .truth = one([](const References& in) {
         Reference y(in[0].shape, 1);
         for_each_index(y.shape, [&](const Dims& i) {
             for (int j = 0; j < 3; ++j)
                 if (j != i[1]) y[i] *= in[0](i[0], j);
         });
         return y;
     })},
    {.op = "prod_pairs",
     .inputs = {{.shape = {2, 4}, .values = {1, 0, 3, 0.5, -1, 2, 0, 0}}, {.shape = {2, 4}}},
     .truth = one([](const References& in) {
         Reference y(in[0].shape, 0);
         for_each_index(y.shape, [&](const Dims& at) {
             for (int i = 0; i < 4; ++i) {
                 double product = in[1](at[0], i);
                 for (int k = 0; k < 4; ++k)
                     if (k != i && k != at[1]) product *= in[0](at[0], k);
                 if (i != at[1]) y[at] += product;
             }
         });
         return y;
     })},
    {.op = "max",
     .set = {{"axis", "(0, 2)"}},
     .inputs = cube,
     .truth = along({0, 2}, false, largest),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {0, 3}}},
                  .set = {{"axis", "0"}},
                  .message = "max: x [0,3] has no elements"}}},
    {.op = "max",
     .note = "keepdims",
     .set = {{"axis", "-1"}, {"keepdims", "True"}},
     .inputs = cube,
     .truth = along({2}, true, largest),
     .dtypes = all_dtypes()},
    {.op = "max",
     .note = "nan",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {2, 4}, .differentiable = false, .values = with_nan[0].values}},
     .truth = along({0}, false, largest),
     .dtypes = wide_floats,
     .gradient = false},
    {.op = "max",
     .note = "no_groups",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {0, 3}}},
     .truth = along({1}, false, largest)},
    {.op = "min",
     .set = {{"axis", "1"}},
     .inputs = cube,
     .truth = along({1}, false, smallest),
     .dtypes = all_dtypes()},
    {.op = "min",
     .note = "all",
     .inputs = cube,
     .truth = along({0, 1, 2}, false, smallest),
     .dtypes = all_dtypes()},
    {.op = "min",
     .note = "nan",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {2, 4}, .differentiable = false, .values = with_nan[0].values}},
     .truth = along({0}, false, smallest),
     .dtypes = wide_floats,
     .gradient = false},
    {.op = "", .function = "mean", .inputs = cube, .truth = along({0, 1, 2}, false, mean)},
    {.op = "",
     .function = "average",
     .set = {{"axis", "(0, 1)"}, {"keepdims", "True"}},
     .inputs = cube,
     .truth = along({0, 1}, true, mean)},
    {.op = "",
     .function = "mean",
     .note = "large",
     .inputs = {{.shape = {2, 3}, .low = 2e4, .high = 6e4}},
     .truth = along({0, 1}, false, mean)},
    {.op = "",
     .function = "average",
     .note = "large",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {2, 3}, .low = 2e4, .high = 6e4}, {.shape = {3}, .low = 1, .high = 2}},
     .truth = weighted_average},
    {.op = "",
     .function = "average",
     .note = "weights",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {2, 3}}, {.shape = {3}, .low = 0.5, .high = 2}},
     .truth = weighted_average,
     .rejects = {{.inputs = {{.shape = {2, 3}}, {.shape = {2}}},
                  .message = "average: weights [2]"}}},
    {.op = "logsumexp",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {2, 3, 4}, .low = -9, .high = 9}},
     .truth = along({1}, false, log_sum_exp)},
    {.op = "logsumexp",
     .note = "large",
     .inputs = {{.shape = {2, 3}, .low = 900, .high = 1000}},
     .truth = along({0, 1}, false, log_sum_exp),
     .dtypes = {Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16}},
    {.op = "logsumexp",
     .note = "infinite",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {4, 2},
                 .differentiable = false,
                 .values = {-INFINITY, -INFINITY, INFINITY, 1, -INFINITY, 2, NAN, 1}}},
     .truth = along({1}, false, log_sum_exp),
     .dtypes = {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64},
     .gradient = false},
    {.op = "",
     .function = "sum_to",
     .set = {{"shape", "(3, 1)"}},
     .inputs = {{.shape = {2, 3, 4}}},
     .truth = one([](const References& in) {
         Reference y({3, 1});
         for_each_index(in[0].shape, [&](const Dims& i) { y(i[1], 0) += in[0][i]; });
         return y;
     }),
     .dtypes = all_dtypes(),
     .result = wide,
     .rejects = {{.set = {{"shape", "(2, 1)"}},
                  .message = "sum_to: [2,1] does not broadcast to the shape of x [2,3,4]"}}},
    {.op = "argmax",
     .set = {{"axis", "1"}},
     .inputs = cube,
     .truth = along({1}, false, place_of_largest),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int32),
     .gradient = false,
     .rejects = {{.inputs = {{.shape = {2, 0}}}, .message = "argmax: axis 1 of x [2,0] is empty"}}},
    {.op = "argmax",
     .note = "flat_with_nan",
     .inputs = with_nan,
     .truth = along({0, 1}, false, place_of_largest),
     .result = always(Dtype::int32),
     .gradient = false},
    {.op = "argmin",
     .set = {{"axis", "-1"}},
     .inputs = cube,
     .truth = along({2}, false, place_of_smallest),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int32),
     .gradient = false},
    {.op = "argmin",
     .note = "flat",
     .inputs = cube,
     .truth = along({0, 1, 2}, false, place_of_smallest),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int32),
     .gradient = false},
    {.op = "cumsum",
     .set = {{"axis", "1"}},
     .inputs = cube,
     .truth = one([](const References& in) {
         Reference y = in[0];
         for_each_index(y.shape, [&](const Dims& i) {
             if (i[1] > 0) y[i] += y(i[0], i[1] - 1, i[2]);
         });
         return y;
     }),
     .dtypes = all_dtypes(),
     .result = wide},
    {.op = "cumsum",
     .note = "flat",
     .inputs = {{.shape = {2, 3}}},
     .truth = one([](const References& in) {
         Reference y({6}, in[0].values);
         for (int i = 1; i < 6; ++i) y(i) += y(i - 1);
         return y;
     }),
     .dtypes = all_dtypes(),
     .result = wide},
});

}  // namespace

}  // namespace catena::testing::reduction_rows
