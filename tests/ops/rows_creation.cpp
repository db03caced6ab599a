#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::creation_rows {

namespace {

/// A matrix of f(row, column), whatever the inputs.
Truth matrix_of(int64_t n, int64_t m, std::function<double(int64_t, int64_t)> f) {
    return one([=](const References&) {
        Reference y(Shape{n, m});
        for_each_index(y.shape, [&](const Dims& i) { y[i] = f(i[0], i[1]); });
        return y;
    });
}
Truth numbers(std::vector<double> values) {
    return one([=](const References&) { return Reference(Shape{int64_t(values.size())}, values); });
}
Truth constant_of(const Shape& shape, double value) {
    return one([=](const References&) { return Reference(shape, value); });
}

/// The first array where keep(column - row), else 0.
Truth masked(std::function<bool(int64_t)> keep) {
    return one([=](const References& in) {
        Reference y(in[0].shape);
        const int rank = y.rank();
        for_each_index(
            y.shape, [&](const Dims& i) { y[i] = keep(i[rank - 1] - i[rank - 2]) ? in[0][i] : 0; });
        return y;
    });
}

Truth on_diagonal(int64_t k) {
    return one([=](const References& in) {
        const int64_t size = in[0].size() + std::abs(k);
        Reference y(Shape{size, size});
        for (int64_t i = 0; i < in[0].size(); ++i)
            y(i + (k < 0 ? -k : 0), i + (k > 0 ? k : 0)) = in[0].values[size_t(i)];
        return y;
    });
}

Truth grids(bool swapped) {
    return [=](const References& in) {
        const Shape shape =
            swapped ? Shape{in[1].size(), in[0].size()} : Shape{in[0].size(), in[1].size()};
        Reference a(shape), b(shape);
        for_each_index(shape, [&](const Dims& i) {
            a[i] = in[0].values[size_t(i[swapped ? 1 : 0])];
            b[i] = in[1].values[size_t(i[swapped ? 0 : 1])];
        });
        return References{a, b};
    };
}

const std::vector<Input> none = {};
const std::vector<Input> x = {{.shape = {2, 3}}};

const int filled = add_rows({
    {.function = "zeros",
     .set = {{"shape", "(2, 3)"}},
     .inputs = none,
     .truth = constant_of({2, 3}, 0),
     .result = always(Dtype::float32),
     .gradient = false},
    {.function = "ones",
     .set = {{"shape", "(2,)"}, {"dtype", "'int8'"}},
     .inputs = none,
     .truth = constant_of({2}, 1),
     .result = always(Dtype::int8),
     .gradient = false},
    {.function = "full",
     .set = {{"shape", "(2, 2)"}, {"fill_value", "2.5"}},
     .inputs = none,
     .truth = constant_of({2, 2}, 2.5),
     .result = always(Dtype::float32),
     .gradient = false,
     .rejects = {{.set = {{"dtype", "'int32'"}}, .message = "full: int32 does not hold 2.5"},
                 {.set = {{"fill_value", "300"}, {"dtype", "'uint8'"}},
                  .message = "full: uint8 does not hold 300"},
                 {.set = {{"fill_value", "-1"}, {"dtype", "'uint8'"}},
                  .message = "full: uint8 does not hold -1"}}},
    {.function = "full",
     .note = "integer",
     .set = {{"shape", "()"}, {"fill_value", "7"}},
     .inputs = none,
     .truth = constant_of({}, 7),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "zeros_like",
     .inputs = x,
     .truth = constant_of({2, 3}, 0),
     .dtypes = all_dtypes(),
     .gradient = false},
    {.function = "ones_like",
     .inputs = x,
     .truth = constant_of({2, 3}, 1),
     .dtypes = all_dtypes(),
     .gradient = false},
    {.function = "full_like",
     .set = {{"fill_value", "3"}, {"dtype", "'int64'"}},
     .inputs = x,
     .truth = constant_of({2, 3}, 3),
     .dtypes = all_dtypes(),
     .result = always(Dtype::int64),
     .gradient = false},
});

const int progressions = add_rows({
    {.op = "arange",
     .set = {{"start", "5"}},
     .inputs = none,
     .truth = numbers({0, 1, 2, 3, 4}),
     .result = always(Dtype::int32),
     .gradient = false},
    {.op = "arange",
     .note = "down",
     .set = {{"start", "5"}, {"stop", "0"}, {"step", "-2"}, {"dtype", "'int8'"}},
     .inputs = none,
     .truth = numbers({5, 3, 1}),
     .result = always(Dtype::int8),
     .gradient = false,
     .rejects =
         {{.set = {{"step", "0"}}, .message = "step 0; all must be finite, and step not 0"},
          {.set = {{"start", "200"}},
           .message =
               "arange: int8 does not hold 200; pass a dtype that does, such as Dtype::int64"},
          {.set = {{"step", "-0.5"}}, .message = "arange: int8 does not hold 0.5"}}},
    {.op = "arange",
     .note = "floats",
     .set = {{"start", "0.5"}, {"stop", "2"}, {"step", "0.5"}},
     .inputs = none,
     .truth = numbers({0.5, 1, 1.5}),
     .result = always(Dtype::float32),
     .gradient = false},
    {.op = "arange",
     .note = "halves",
     .set = {{"start", "-1"}, {"stop", "1"}, {"step", "0.75"}, {"dtype", "'float16'"}},
     .inputs = none,
     .truth = numbers({-1, -0.25, 0.5}),
     .result = always(Dtype::float16),
     .gradient = false},
    {.op = "arange",
     .note = "nothing",
     .set = {{"start", "3"}, {"stop", "1"}},
     .inputs = none,
     .truth = numbers({}),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "linspace",
     .set = {{"start", "1"}, {"stop", "2"}, {"num", "5"}},
     .inputs = none,
     .truth = numbers({1, 1.25, 1.5, 1.75, 2}),
     .result = always(Dtype::float32),
     .gradient = false,
     .rejects = {{.set = {{"num", "-1"}},
                  .message = "linspace: num is -1, it must not be negative"}}},
    {.function = "linspace",
     .note = "open",
     .set = {{"start", "3"},
             {"stop", "-3"},
             {"num", "4"},
             {"endpoint", "False"},
             {"dtype", "'int32'"}},
     .inputs = none,
     .truth = numbers({3, 1, 0, -2}),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "linspace",
     .note = "one",
     .set = {{"start", "3"}, {"stop", "9"}, {"num", "1"}},
     .inputs = none,
     .truth = numbers({3}),
     .result = always(Dtype::float32),
     .gradient = false},
    {.function = "logspace",
     .set = {{"start", "0"}, {"stop", "2"}, {"num", "3"}},
     .inputs = none,
     .truth = numbers({1, 10, 100}),
     .result = always(Dtype::float32),
     .gradient = false,
     .rejects = {{.set = {{"num", "-1"}},
                  .message = "logspace: num is -1, it must not be negative"},
                 {.set = {{"base", "0.0"}}, .message = "logspace: base is 0"}}},
    {.function = "logspace",
     .note = "open",
     .set = {{"start", "0"},
             {"stop", "3"},
             {"num", "3"},
             {"endpoint", "False"},
             {"base", "2.0"},
             {"dtype", "'int32'"}},
     .inputs = none,
     .truth = numbers({1, 2, 4}),
     .result = always(Dtype::int32),
     .gradient = false},
    {.function = "eye",
     .set = {{"n", "3"}, {"m", "4"}, {"k", "1"}},
     .inputs = none,
     .truth = matrix_of(3, 4, [](auto i, auto j) { return double(j - i == 1); }),
     .result = always(Dtype::float32),
     .gradient = false},
    {.function = "eye",
     .note = "bools",
     .set = {{"n", "3"}, {"dtype", "'bool'"}},
     .inputs = none,
     .truth = matrix_of(3, 3, [](auto i, auto j) { return double(i == j); }),
     .result = always(Dtype::bool_),
     .gradient = false,
     .rejects = {{.set = {{"n", "-2"}}, .message = "eye: n is -2"}}},
    {.function = "tri",
     .set = {{"n", "3"}, {"m", "4"}, {"k", "-1"}, {"dtype", "'int64'"}},
     .inputs = none,
     .truth = matrix_of(3, 4, [](auto i, auto j) { return double(j - i <= -1); }),
     .result = always(Dtype::int64),
     .gradient = false},
});

const int triangles = add_rows({
    {.function = "tril",
     .inputs = {{.shape = {2, 3, 4}}},
     .truth = masked([](int64_t d) { return d <= 0; }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {3}}},
                  .message = "tril: x [3] is no matrix, at least two axes are needed"}}},
    {.function = "tril",
     .note = "below",
     .set = {{"k", "-1"}},
     .inputs = {{.shape = {4, 3}}},
     .truth = masked([](int64_t d) { return d <= -1; })},
    {.function = "triu",
     .set = {{"k", "1"}},
     .inputs = {{.shape = {2, 3, 4}}},
     .truth = masked([](int64_t d) { return d >= 1; }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {}}}, .message = "triu: x [] is no matrix"}}},
    {.function = "triu",
     .note = "keeps_no_infinity",
     .inputs = {{.shape = {2, 2}, .differentiable = false, .values = {1, 2, INFINITY, 3}}},
     .truth = masked([](int64_t d) { return d >= 0; }),
     .gradient = false},
    // Of longer vectors the square would not fit where inputs are enlarged: array_library_test.cpp.
    {.function = "diag",
     .set = {{"k", "1"}},
     .inputs = {{.shape = {1}}},
     .truth = on_diagonal(1),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {1, 1, 1}}},
                  .message = "diag: v [1,1,1] should be a vector or a matrix"}}},
    {.function = "diag",
     .note = "of_matrix",
     .set = {{"k", "-1"}},
     .inputs = {{.shape = {3, 2}}},
     .truth = one([](const References& in) { return Reference({2}, {in[0](1, 0), in[0](2, 1)}); }),
     .dtypes = all_dtypes()},
    {.function = "diagflat",
     .set = {{"k", "-2"}},
     .inputs = {{.shape = {1, 1}}},
     .truth = on_diagonal(-2),
     .dtypes = all_dtypes()},
    {.function = "meshgrid",
     .inputs = {{.shape = {1}}, {.shape = {3}}},
     .truth = grids(true),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2, 1}}},
                  .message = "meshgrid: an array has the shape [2,1]; all should be vectors"},
                 {.set = {{"indexing", "'yx'"}}, .message = "'xy' and 'ij' are right"}}},
    {.function = "meshgrid",
     .note = "ij",
     .set = {{"indexing", "'ij'"}},
     .inputs = {{.shape = {1}}, {.shape = {3}}},
     .truth = grids(false)},
});

}  // namespace

}  // namespace catena::testing::creation_rows
