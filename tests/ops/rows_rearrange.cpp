#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/ops/op_table.h"

namespace catena::testing::rearrange_rows {

namespace {

Truth reshaped(const Shape& shape) {
    return one([=](const References& in) { return Reference(shape, in[0].values); });
}
Truth moved(const Shape& shape, std::function<Dims(const Dims&)> source) {
    return one([=](const References& in) {
        Reference y(shape);
        for_each_index(shape, [&](const Dims& i) { y[i] = in[0][source(i)]; });
        return y;
    });
}

/// Parts [cuts[k], cuts[k + 1]) of an axis.
Truth parts(int axis, std::vector<int64_t> cuts) {
    return [=](const References& in) {
        References ys;
        for (size_t k = 0; k + 1 < cuts.size(); ++k) {
            Shape shape = in[0].shape;
            shape[axis] = cuts[k + 1] - cuts[k];
            Reference y(shape);
            for_each_index(shape, [&](const Dims& i) {
                Dims from = i;
                from[axis] += cuts[k];
                y[i] = in[0][from];
            });
            ys.push_back(y);
        }
        return ys;
    };
}

/// The k first places of each row of a matrix, in an order that keeps equal elements.
Truth best(int64_t k, bool largest) {
    return [=](const References& in) {
        const Reference& x = in[0];
        Reference values(Shape{x.dim(0), k}), places(Shape{x.dim(0), k});
        for (int64_t r = 0; r < x.dim(0); ++r) {
            const auto key = [&](int64_t i) {
                return std::isnan(x(r, i)) ? std::pair(1, 0.0) : std::pair(0, x(r, i));
            };
            std::vector<int64_t> order(size_t(x.dim(1)));
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
                return largest ? key(a) > key(b) : key(a) < key(b);
            });
            for (int64_t i = 0; i < k; ++i) {
                places(r, i) = double(order[size_t(i)]);
                values(r, i) = x(r, order[size_t(i)]);
            }
        }
        return References{values, places};
    };
}

Truth joined_flat() {
    return one([](const References& in) {
        std::vector<double> all;
        for (const Reference& x : in) all.insert(all.end(), x.values.begin(), x.values.end());
        return Reference({int64_t(all.size())}, all);
    });
}

const std::vector<Input> matrix = {{.shape = {3, 4}}};
const std::vector<Input> cube = {{.shape = {2, 3, 4}}};
const std::vector<Input> vector = {{.shape = {5}}};
const Settings halves = {{"indices_or_sections", "2"}};

const int shapes = add_rows({
    {.function = "ravel", .inputs = cube, .truth = reshaped({24}), .dtypes = all_dtypes()},
    {.function = "atleast_1d",
     .inputs = {{.shape = {}}},
     .truth = reshaped({1}),
     .dtypes = all_dtypes()},
    {.function = "atleast_2d", .inputs = vector, .truth = reshaped({1, 5}), .dtypes = all_dtypes()},
    {.function = "atleast_2d", .note = "is_one", .inputs = cube, .truth = reshaped({2, 3, 4})},
    {.function = "atleast_3d",
     .inputs = matrix,
     .truth = reshaped({3, 4, 1}),
     .dtypes = all_dtypes()},
    {.function = "atleast_3d", .note = "vector", .inputs = vector, .truth = reshaped({1, 5, 1})},
    {.op = "copy", .inputs = matrix, .truth = reshaped({3, 4}), .dtypes = all_dtypes()},
    {.function = "roll",
     .set = {{"shift", "-6"}},
     .inputs = vector,
     .truth = moved({5}, [](const Dims& i) { return Dims{(i[0] + 6) % 5}; }),
     .dtypes = all_dtypes()},
    {.function = "roll",
     .note = "axis",
     .set = {{"shift", "1"}, {"axis", "-1"}},
     .inputs = matrix,
     .truth = moved({3, 4}, [](const Dims& i) { return Dims{i[0], (i[1] + 3) % 4}; })},
    {.function = "roll",
     .note = "flat",
     .set = {{"shift", "1"}},
     .inputs = matrix,
     .truth = moved({3, 4},
                    [](const Dims& i) {
                        const int64_t k = (i[0] * 4 + i[1] + 11) % 12;
                        return Dims{k / 4, k % 4};
                    })},
    {.function = "concatenate",
     .set = {{"axis", "None"}},
     .inputs = {{.shape = {2, 2}}, {.shape = {3}}},
     .truth = joined_flat(),
     .dtypes = all_dtypes()},
    {.function = "concatenate",
     .note = "first_axis",
     .inputs = {{.shape = {2}}, {.shape = {3}}},
     .truth = joined_flat()},
    {.function = "append",
     .inputs = {{.shape = {2, 2}}, {.shape = {3}}},
     .truth = joined_flat(),
     .dtypes = all_dtypes()},
    {.function = "append",
     .note = "axis",
     .set = {{"axis", "0"}},
     .inputs = {{.shape = {2}}, {.shape = {3}}},
     .truth = joined_flat(),
     .rejects = {{.inputs = {{.shape = {2, 2}}, {.shape = {3}}},
                  .message = "concat: xs[0] [2,2]"}}},
    {.function = "insert",
     .set = {{"index", "1"}, {"axis", "1"}},
     .inputs = {{.shape = {2, 2}}, {.shape = {2}}},
     .truth = one([](const References& in) {
         const auto &x = in[0].values, &v = in[1].values;
         Reference y(Shape{2, 3});
         y.values = {x[0], v[0], x[1], x[2], v[1], x[3]};
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"index", "3"}, {"axis", "1"}},
                  .message = "insert: the place 3 is outside of axis 1 of x [2,2], which has 2"},
                 {.inputs = {{.shape = {2, 2}, .dtype = Dtype::int32}, {.shape = {2}}},
                  .set = {{"index", "1"}},
                  .message = "insert: values float32[2] do not fit into x int32[2,2]"}}},
    {.function = "insert",
     .note = "flat",
     .set = {{"index", "-1"}},
     .inputs = {{.shape = {2, 2}}, {.shape = {3}}},
     .truth = one([](const References& in) {
         const auto &x = in[0].values, &v = in[1].values;
         Reference y(Shape{7});
         y.values = {x[0], x[1], x[2], v[0], v[1], v[2], x[3]};
         return y;
     })},
    {.function = "column_stack",
     .inputs = {{.shape = {3}}, {.shape = {3}}},
     .truth = one([](const References& in) {
         Reference y(Shape{3, 2});
         for (size_t i = 0; i < 3; ++i)
             for (size_t k = 0; k < 2; ++k) y.values[2 * i + k] = in[k].values[i];
         return y;
     }),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {1, 2, 2}}},
                  .message = "column_stack: xs[0] [1,2,2] should have one axis or two"}}},
    {.function = "rot90",
     .inputs = matrix,
     .truth = moved({4, 3}, [](const Dims& i) { return Dims{i[1], 3 - i[0]}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axes", "(0,)"}}, .message = "rot90: axes [0] should be two axes"}}},
    {.function = "rot90",
     .note = "back",
     .set = {{"k", "-1"}, {"axes", "(0, -1)"}},
     .inputs = matrix,
     .truth = moved({4, 3}, [](const Dims& i) { return Dims{2 - i[1], i[0]}; })},
    {.function = "rot90",
     .note = "twice",
     .set = {{"k", "2"}},
     .inputs = matrix,
     .truth = moved({3, 4}, [](const Dims& i) { return Dims{2 - i[0], 3 - i[1]}; })},
});

const int splits = add_rows({
    {.function = "split",
     .set = {{"indices_or_sections", "(1, 3)"}, {"axis", "1"}},
     .inputs = matrix,
     .truth = parts(1, {0, 1, 3, 4}),
     .dtypes = all_dtypes()},
    {.function = "split",
     .note = "sections",
     .set = {{"indices_or_sections", "3"}},
     .inputs = matrix,
     .truth = parts(0, {0, 1, 2, 3}),
     .rejects = {{.set = halves, .message = "2"}}},
    {.function = "vsplit",
     .set = {{"indices_or_sections", "3"}},
     .inputs = matrix,
     .truth = parts(0, {0, 1, 2, 3}),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = vector, .message = "vsplit: x [5] has 1 axes, at least 2 are needed"}}},
    {.function = "array_split",
     .set = {{"indices_or_sections", "2"}},
     .inputs = vector,
     .truth = parts(0, {0, 3, 5}),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"indices_or_sections", "0"}}, .message = "array_split: 0 parts"}}},
    {.function = "array_split",
     .note = "places",
     .set = {{"indices_or_sections", "(1, 3)"}, {"axis", "1"}},
     .inputs = matrix,
     .truth = parts(1, {0, 1, 3, 4})},
    {.function = "hsplit",
     .set = halves,
     .inputs = matrix,
     .truth = parts(1, {0, 2, 4}),
     .dtypes = all_dtypes()},
    {.function = "hsplit",
     .note = "vector",
     .set = {{"indices_or_sections", "[2]"}},
     .inputs = vector,
     .truth = parts(0, {0, 2, 5})},
    {.function = "dsplit",
     .set = halves,
     .inputs = cube,
     .truth = parts(2, {0, 2, 4}),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = matrix,
                  .message = "dsplit: x [3,4] has 2 axes, at least 3 are needed"}}},
});

const std::vector<Input> ties = {
    {.shape = {2, 5}, .differentiable = false, .values = {3, 1, 3, 2, 3, 0, 0, 0, 1, 0}}};

const int searches = add_rows({
    {.op = "argsort_first",
     .function = "topk",
     .set = {{"k", "3"}},
     .inputs = {{.shape = {3, 5}, .low = -9, .high = 9}},
     .truth = best(3, true),
     .gradient = true},
    {.function = "topk",
     .note = "ties",
     .set = {{"k", "4"}},
     .inputs = ties,
     .truth = best(4, true),
     .gradient = false},
    {.function = "topk",
     .note = "smallest",
     .set = {{"k", "4"}, {"largest", "False"}},
     .inputs = ties,
     .truth = best(4, false),
     .gradient = false},
    {.function = "topk",
     .note = "nan",
     .set = {{"k", "2"}},
     .inputs = {{.shape = {1, 3}, .differentiable = false, .values = {1, NAN, 2}}},
     .truth = best(2, true),
     .gradient = false},
    {.function = "topk",
     .note = "integers",
     .set = {{"k", "2"}},
     .inputs = {{.shape = {2, 4}, .low = -100, .high = 100}},
     .truth = best(2, true),
     .dtypes = {Dtype::bool_, Dtype::int8, Dtype::int16, Dtype::int32, Dtype::int64, Dtype::uint8},
     .gradient = false,
     .rejects = {{.set = {{"k", "5"}},
                  .message = "topk: k is 5; it should be 0 to the size of axis -1 of x [2,4], 4"}}},
    {.function = "copysign",
     .inputs = {{.shape = {3, 4}}, {.shape = {3, 4}, .differentiable = false}},
     .truth = each([](double a, double b) { return std::copysign(a, b); }),
     .dtypes = all_dtypes(),
     .result =
         [](Dtype run) {
             return run == Dtype::bool_ || run == Dtype::uint8 ? Dtype::float32 : run;
         },
     .specials = false},
});

}  // namespace

}  // namespace catena::testing::rearrange_rows
