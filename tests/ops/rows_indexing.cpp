#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/ops/op_table.h"

namespace catena::testing::indexing_rows {

namespace {

using Values = std::vector<double>;

/// y[i] = x[source(i)] for the first array.
Truth moved(const Shape& shape, std::function<Dims(const Dims&)> source) {
    return one([=](const References& in) {
        Reference y(shape);
        for_each_index(shape, [&](const Dims& i) { y[i] = in[0][source(i)]; });
        return y;
    });
}

Input indices(const Shape& shape, Values values, Dtype dtype = Dtype::int32) {
    return {.shape = shape, .dtype = dtype, .values = std::move(values)};
}

Row get_item(const std::string& note, const std::string& slices, const Shape& x, const Shape& y,
             std::function<Dims(const Dims&)> source) {
    return {.op = "",
            .function = "get_item",
            .note = note,
            .set = {{"slices", slices}},
            .inputs = {{.shape = x}},
            .truth = moved(y, std::move(source)),
            .dtypes = all_dtypes()};
}

Row gathering(Row row) {
    row.op = "get_item";
    return row;
}

Row rejecting(Row row, std::vector<Reject> rejects) {
    row.rejects = std::move(rejects);
    return row;
}

const int get_items = add_rows({
    rejecting(
        get_item("basic", "['1:5', 2, '...', None]", {6, 3, 2}, {4, 2, 1},
                 [](const Dims& i) { return Dims{1 + i[0], 2, i[1]}; }),
        {{.set = {{"slices", "[6]"}},
          .message = "get_item: index 6 is outside of axis 0 of size 6, which takes -6 to 5"},
         {.set = {{"slices", "['...', '...']"}}, .message = "get_item: 2 ellipses"},
         {.set = {{"slices", "[0, 0, 0, 0]"}}, .message = "get_item: 4 indices for x [6,3,2]"},
         {.set = {{"slices", "['::0']"}}, .message = "a slice with step 0"}}),
    get_item("negative", "[-1, '::-1']", {2, 3}, {3},
             [](const Dims& i) { return Dims{1, 2 - i[0]}; }),
    get_item("negative_step", "['-1:0:-2']", {6}, {3},
             [](const Dims& i) { return Dims{5 - 2 * i[0]}; }),
    get_item("beyond", "['-9:9']", {3, 2}, {3, 2}, [](const Dims& i) { return i; }),
    get_item("nothing", "['3:1']", {4}, {0}, [](const Dims& i) { return i; }),
    gathering(rejecting(
        get_item("array", "[[2, 0, -1]]", {3, 2}, {3, 2},
                 [](const Dims& i) { return Dims{i[0] == 1 ? 0 : 2, i[1]}; }),
        {{.set = {{"slices", "[[0, 3]]"}},
          .message = "get_item: index 3 is outside of axis 0 of size 3, which takes -3 to 2"}})),
    // Equal places: the gradient adds up.
    gathering(get_item("repeated", "['...', [1, 1, 0, 1]]", {2, 3, 2}, {2, 3, 4},
                       [](const Dims& i) { return Dims{i[0], i[1], i[2] == 2 ? 0 : 1}; })),
    gathering(get_item("arrays_broadcast", "[':', [[0], [2]], [1, 0]]", {2, 3, 2}, {2, 2, 2},
                       [](const Dims& i) { return Dims{i[0], 2 * i[1], 1 - i[2]}; })),
    gathering(
        get_item("arrays_apart", "[[1, 0, 1], ':', [0, 1, 1]]", {2, 4, 2}, {3, 4},
                 [](const Dims& i) { return Dims{i[0] == 1 ? 0 : 1, i[1], i[0] == 0 ? 0 : 1}; })),
    gathering(get_item("integer_apart", "[1, ':', [0, 1, 1]]", {2, 4, 2}, {3, 4},
                       [](const Dims& i) { return Dims{1, i[1], i[0] == 0 ? 0 : 1}; })),
    gathering(get_item("integer_beside", "[':', 1, [0, 1, 1]]", {2, 4, 2}, {2, 3},
                       [](const Dims& i) { return Dims{i[0], 1, i[1] == 0 ? 0 : 1}; })),
});

Reference scattered(const References& in, const Values& rows) {
    Reference y = in[0];
    for (size_t k = 0; k < rows.size(); ++k)
        for (int j = 0; j < y.dim(1); ++j) y(rows[k], j) += in[1](k, j);
    return y;
}

const int gathers = add_rows({
    {.op = "scatter_add",
     .set = {{"slices", "[[2, 0, 2]]"}},
     .inputs = {{.shape = {3, 2}}, {.shape = {3, 2}}},
     .truth = one([](const References& in) { return scattered(in, {2, 0, 2}); }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"slices", "[[0, 3, 1]]"}},
                  .message = "scatter_add: index 3 is outside of axis 0"},
                 {.set = {{"slices", "[[0, 1]]"}}, .message = "scatter_add: b is [3,2]"},
                 {.inputs = {{.shape = {3, 2}}, {.shape = {3, 2}, .dtype = Dtype::int32}},
                  .message = "scatter_add: a is float32 and b int32"}}},
    {.op = "",
     .function = "scatter_add",
     .note = "slices",
     .set = {{"slices", "['::2', None, 1]"}},
     .inputs = {{.shape = {3, 2}}, {.shape = {2, 1}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (int k = 0; k < 2; ++k) y(2 * k, 1) += in[1](k, 0);
         return y;
     }),
     .dtypes = all_dtypes()},
    {.op = "take",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {2, 3, 2}}, indices({2, 2}, {0, -1, 2, 0})},
     .truth = one([](const References& in) {
         Reference y({2, 2, 2, 2});
         for_each_index(y.shape, [&](const Dims& i) {
             const double k = in[1](i[1], i[2]);
             y[i] = in[0](i[0], k < 0 ? k + 3 : k, i[3]);
         });
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {3}}, indices({1}, {-4}, Dtype::int64)},
                  .set = {{"axis", "0"}},
                  .message = "take: index -4 is outside of axis 0 of size 3, which takes -3 to 2"},
                 {.inputs = {{.shape = {3}}, {.shape = {1}}},
                  .set = {{"axis", "0"}},
                  .message = "take: an index array is float32, an integer dtype is needed"}}},
    {.op = "take",
     .note = "none",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {3, 2}}, {.shape = {0}, .dtype = Dtype::int64}},
     .truth = one([](const References&) { return Reference({0, 2}); })},
    {.op = "take",
     .note = "of all elements",
     .inputs = {{.shape = {3, 2}}, indices({3}, {4, -1, 0})},
     .truth = one([](const References& in) {
         Reference y({3});
         y(0) = in[0](2, 0);
         y(1) = in[0](2, 1);
         y(2) = in[0](0, 0);
         return y;
     })},
    {.op = "permutate",
     .inputs = {{.shape = {3, 2}}, indices({3}, {2, 0, 1})},
     .truth = one([](const References& in) {
         Reference y({3, 2});
         for_each_index(y.shape, [&](const Dims& i) { y[i] = in[0](in[1](i[0]), i[1]); });
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {3, 2}}, indices({2}, {0, 1})},
                  .message = "permutate: indices [2] must be a vector of 3"},
                 {.inputs = {{.shape = {3, 2}}, indices({3}, {0, 1, 3})},
                  .message = "permutate: index 3 is outside of axis 0"}}},
    {.op = "permutate",
     .note = "inverse",
     .set = {{"axis", "1"}, {"inv", "True"}},
     .inputs = {{.shape = {2, 3}}, indices({3}, {2, 0, 1})},
     .truth = one([](const References& in) {
         Reference y({2, 3});
         for_each_index(y.shape, [&](const Dims& i) { y(i[0], in[1](i[1])) = in[0][i]; });
         return y;
     }),
     .dtypes = all_dtypes()},
    {.op = "embed_id",
     .inputs = {indices({2, 2}, {0, 3, 3, 1}), {.shape = {4, 3}}},
     .truth = one([](const References& in) {
         Reference y({2, 2, 3});
         for_each_index(y.shape, [&](const Dims& i) { y[i] = in[1](in[0](i[0], i[1]), i[2]); });
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {indices({2}, {0, 4}), {.shape = {4, 3}}},
                  .message =
                      "embed_id: index 4 is outside of axis 0 of size 4, which takes 0 to 3"},
                 {.inputs = {indices({1}, {-1}), {.shape = {4, 3}}},
                  .message = "embed_id: index -1 is outside"},
                 {.inputs = {{.shape = {2}}, {.shape = {4, 3}}},
                  .message = "embed_id: x is float32"}}},
    {.op = "embed_id",
     .note = "ignore_label",
     .set = {{"ignore_label", "-1"}},
     .inputs = {indices({4}, {0, -1, 2, -1}, Dtype::int64), {.shape = {4, 3}}},
     .truth = one([](const References& in) {
         Reference y({4, 3});
         for_each_index(y.shape, [&](const Dims& i) {
             y[i] = in[0](i[0]) < 0 ? 0 : in[1](in[0](i[0]), i[1]);
         });
         return y;
     }),
     .dtypes = all_dtypes()},
    {.op = "embed_id",
     .note = "wide",
     .inputs = {{.shape = {300}, .low = 0, .high = 5, .dtype = Dtype::int32}, {.shape = {5, 65}}},
     .truth = one([](const References& in) {
         Reference y({300, 65});
         for_each_index(y.shape, [&](const Dims& i) { y[i] = in[1](in[0](i[0]), i[1]); });
         return y;
     }),
     .tolerance = 100},
    {.op = "select_item",
     .inputs = {{.shape = {3, 4}}, indices({3}, {0, 3, 1})},
     .truth = one([](const References& in) {
         Reference y({3});
         for (int i = 0; i < 3; ++i) y(i) = in[0](i, in[1](i));
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {1, 4}}, indices({1}, {4})},
                  .message =
                      "select_item: index 4 is outside of axis 1 of size 4, which takes 0 to 3"},
                 {.inputs = {{.shape = {2, 4}}, indices({1}, {0})},
                  .message = "select_item: x [2,4] must be a matrix"}}},
    {.op = "take_along_axis",
     .set = {{"axis", "-2"}},
     .inputs = {{.shape = {3, 2}}, indices({4, 2}, {0, 1, 2, 2, -1, 0, 1, 1})},
     .truth = one([](const References& in) {
         Reference y({4, 2});
         for_each_index(y.shape, [&](const Dims& i) {
             const double k = in[1][i];
             y[i] = in[0](k < 0 ? k + 3 : k, i[1]);
         });
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects =
         {{.inputs = {{.shape = {3, 2}}, indices({1, 3}, {0, 0, 0})},
           .message =
               "take_along_axis: indices [1,3] must have the sizes of x [3,2] but for axis 0"}}},
    {.op = "add_along_axis",
     .set = {{"axis", "0"}, {"size", "3"}},
     .inputs = {{.shape = {4, 2}}, indices({4, 2}, {0, 1, 2, 2, -1, 0, 1, 1})},
     .truth = one([](const References& in) {
         Reference y({3, 2});
         for_each_index(in[0].shape, [&](const Dims& i) {
             const double k = in[1][i];
             y(k < 0 ? k + 3 : k, i[1]) += in[0][i];
         });
         return y;
     }),
     .dtypes = all_dtypes()},
    {.op = "one_hot",
     .set = {{"classes", "3"}, {"dtype", "'float64'"}},
     .inputs = {indices({2, 2}, {0, 2, 1, 0})},
     .truth = one([](const References& in) {
         Reference y({2, 2, 3});
         for_each_index(in[0].shape, [&](const Dims& i) { y(i[0], i[1], in[0][i]) = 1; });
         return y;
     }),
     .result = always(Dtype::float64),
     .gradient = false,
     .rejects = {{.inputs = {indices({1}, {3})},
                  .message = "one_hot: index 3 is outside of axis 1 of size 3"},
                 {.inputs = {{.shape = {1}}}, .message = "one_hot: x is float32"}}},
});

/// Places of the elements of each row of a matrix in ascending order, NaN last.
Reference sorted_places(const Reference& x) {
    Reference y(x.shape);
    for (int64_t i = 0; i < x.dim(0); ++i) {
        std::vector<int64_t> order(size_t(x.dim(1)), 0);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return x(i, a) < x(i, b) || (std::isnan(x(i, b)) && !std::isnan(x(i, a)));
        });
        for (int64_t j = 0; j < x.dim(1); ++j) y(i, j) = double(order[size_t(j)]);
    }
    return y;
}

const int orders = add_rows({
    {.op = "argsort",
     .inputs = {{.shape = {3, 7}}},
     .truth = one([](const References& in) { return sorted_places(in[0]); }),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int32),
     .gradient = false},
    {.op = "argsort",
     .note = "nan",
     .inputs = {{.shape = {1, 6}, .values = {NAN, 2, -INFINITY, NAN, 2, 0}}},
     .truth = one([](const References& in) { return sorted_places(in[0]); }),
     .result = always(Dtype::int32),
     .gradient = false},
    {.op = "",
     .function = "sort",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {5, 2}}},
     .truth = one([](const References& in) {
         Reference y = in[0];
         for (int j = 0; j < 2; ++j) {
             Values column;
             for (int i = 0; i < 5; ++i) column.push_back(y(i, j));
             std::sort(column.begin(), column.end());
             for (int i = 0; i < 5; ++i) y(i, j) = column[size_t(i)];
         }
         return y;
     }),
     .dtypes = all_dtypes()},
});

}  // namespace

}  // namespace catena::testing::indexing_rows
