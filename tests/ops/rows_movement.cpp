#include <algorithm>

#include "tests/ops/op_table.h"

namespace catena::testing::movement_rows {

namespace {

/// y[i] = x[source(i)] for the first array.
Truth moved(const Shape& shape, std::function<Dims(const Dims&)> source) {
    return one([=](const References& in) {
        Reference y(shape);
        for_each_index(shape, [&](const Dims& i) { y[i] = in[0][source(i)]; });
        return y;
    });
}
/// The same elements in another shape.
Truth reshaped(const Shape& shape) {
    return one([=](const References& in) { return Reference(shape, in[0].values); });
}

/// All arrays along one axis, which is not the first of the result when they lack it.
Truth joined(const Shape& shape, int axis) {
    return one([=](const References& in) {
        Reference y(shape);
        int64_t at = 0;
        for (const Reference& x : in) {
            Shape part = shape;
            part[axis] =
                element_count(shape) == 0 ? 0 : x.size() * shape[axis] / element_count(shape);
            const Reference seen(part, x.values);
            for_each_index(part, [&](const Dims& i) {
                Dims to = i;
                to[axis] += at;
                y[to] = seen[i];
            });
            at += part[axis];
        }
        return y;
    });
}

/// Parts of a matrix's axis 1, [ends[k-1], ends[k]).
References columns(const Reference& x, const std::vector<int64_t>& ends) {
    References parts;
    int64_t begin = 0;
    for (int64_t end : ends) {
        Reference part({x.dim(0), end - begin});
        for_each_index(part.shape, [&](const Dims& i) { part[i] = x(i[0], begin + i[1]); });
        parts.push_back(part);
        begin = end;
    }
    return parts;
}
Truth split(std::vector<int64_t> ends) {
    return [=](const References& in) { return columns(in[0], ends); };
}

const std::vector<Input> cube = {{.shape = {2, 3, 4}}};
const std::vector<Input> matrix = {{.shape = {3, 4}}};
const std::vector<Input> two = {{.shape = {2, 3}}, {.shape = {2, 3}}};

const int views = add_rows({
    {.op = "reshape",
     .set = {{"shape", "(4, -1, 2)"}},
     .inputs = cube,
     .truth = reshaped({4, 3, 2}),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"shape", "(5, -1)"}},
                  .message =
                      "reshape: x [2,3,4] has 24 elements, shape [5,-1] asks for a multiple of 5"},
                 {.set = {{"shape", "(-1, -1)"}}, .message = "may have one -1"},
                 {.set = {{"shape", "(2, 3)"}}, .message = "asks for 6"}}},
    {.op = "reshape",
     .note = "empty",
     .set = {{"shape", "(3, 0)"}},
     .inputs = {{.shape = {0, 2}}},
     .truth = reshaped({3, 0})},
    {.op = "reshape",
     .note = "to_scalar",
     .set = {{"shape", "()"}},
     .inputs = {{.shape = {1, 1}}},
     .truth = reshaped({}),
     .dtypes = all_dtypes()},
    {.op = "transpose",
     .inputs = cube,
     .truth = moved({4, 3, 2}, [](const Dims& i) { return Dims{i[2], i[1], i[0]}; }),
     .dtypes = all_dtypes()},
    {.op = "transpose",
     .note = "axes",
     .set = {{"axes", "(1, -1, 0)"}},
     .inputs = cube,
     .truth = moved({3, 4, 2}, [](const Dims& i) { return Dims{i[2], i[0], i[1]}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axes", "(0, 0, 1)"}},
                  .message = "transpose: axes [0,0,1] is not a permutation"}}},
    {.op = "broadcast_to",
     .set = {{"shape", "(2, 3, 4)"}},
     .inputs = {{.shape = {3, 1}}},
     .truth = moved({2, 3, 4}, [](const Dims& i) { return Dims{i[1], 0}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"shape", "(2, 4)"}},
                  .message = "broadcast_to: x [3,1] does not broadcast to [2,4]"}}},
    {.op = "broadcast_to",
     .note = "scalar",
     .set = {{"shape", "(2, 3)"}},
     .inputs = {{.shape = {}}},
     .truth = moved({2, 3}, [](const Dims&) { return Dims{}; })},
    {.op = "",
     .function = "broadcast",
     .inputs = {{.shape = {3, 1}}, {.shape = {4}}},
     .truth = {[](const References& in) -> References {
         Reference a({3, 4}), b({3, 4});
         for_each_index(a.shape, [&](const Dims& i) {
             a[i] = in[0](i[0], 0);
             b[i] = in[1](i[1]);
         });
         return {a, b};
     }},
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2}}, {.shape = {3}}},
                  .message = "broadcast: shapes [2] and [3] do not broadcast: sizes of an axis"}}},
    {.op = "",
     .function = "expand_dims",
     .set = {{"axis", "-2"}},
     .inputs = matrix,
     .truth = reshaped({3, 1, 4}),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axis", "3"}}, .message = "expand_dims"}}},
    {.op = "",
     .function = "squeeze",
     .inputs = {{.shape = {1, 3, 1}}},
     .truth = reshaped({3}),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "squeeze",
     .note = "axis",
     .set = {{"axis", "-1"}},
     .inputs = {{.shape = {1, 3, 1}}},
     .truth = reshaped({1, 3}),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axis", "1"}}, .message = "squeeze: axis 1 of x [1,3,1] has size 3"}}},
    {.op = "",
     .function = "flatten",
     .inputs = cube,
     .truth = reshaped({24}),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "swapaxes",
     .set = {{"axis1", "0"}, {"axis2", "-1"}},
     .inputs = cube,
     .truth = moved({4, 3, 2}, [](const Dims& i) { return Dims{i[2], i[1], i[0]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "moveaxis",
     .set = {{"source", "(0, 1)"}, {"destination", "(-1, 0)"}},
     .inputs = cube,
     .truth = moved({3, 4, 2}, [](const Dims& i) { return Dims{i[2], i[0], i[1]}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"source", "(0, 0)"}}, .message = "moveaxis: source [0,0]"}}},
    {.op = "",
     .function = "rollaxis",
     .set = {{"axis", "2"}},
     .inputs = cube,
     .truth = moved({4, 2, 3}, [](const Dims& i) { return Dims{i[1], i[2], i[0]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "rollaxis",
     .note = "start",
     .set = {{"axis", "0"}, {"start", "2"}},
     .inputs = cube,
     .truth = moved({3, 2, 4}, [](const Dims& i) { return Dims{i[1], i[0], i[2]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "tile",
     .set = {{"reps", "(2, 1, 3)"}},
     .inputs = {{.shape = {2, 3}}},
     .truth = moved({2, 2, 9}, [](const Dims& i) { return Dims{i[1], i[2] % 3}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"reps", "-1"}}, .message = "tile: -1 repeats"}}},
    {.op = "",
     .function = "repeat",
     .set = {{"repeats", "3"}, {"axis", "1"}},
     .inputs = {{.shape = {2, 3, 2}}},
     .truth = moved({2, 9, 2}, [](const Dims& i) { return Dims{i[0], i[1] / 3, i[2]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "repeat",
     .note = "each",
     .set = {{"repeats", "(2, 0, 1)"}, {"axis", "-1"}},
     .inputs = {{.shape = {2, 3}}},
     .truth = moved({2, 3}, [](const Dims& i) { return Dims{i[0], i[1] < 2 ? 0 : 2}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"repeats", "(1, 2)"}},
                  .message = "repeat: 2 repeats for axis 1 of x [2,3], which needs 3"}}},
    {.op = "",
     .function = "repeat",
     .note = "flat",
     .set = {{"repeats", "2"}},
     .inputs = {{.shape = {2, 3}}},
     .truth = moved({12}, [](const Dims& i) { return Dims{i[0] / 6, i[0] / 2 % 3}; }),
     .dtypes = all_dtypes()},
});

const int joins = add_rows({
    {.op = "concat",
     .inputs = {{.shape = {2, 3}}, {.shape = {2, 1}}, {.shape = {2, 0}}},
     .truth = joined({2, 4}, 1),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2, 3}}, {.shape = {3, 3}}},
                  .message = "concat: xs[0] [2,3] and xs[1] [3,3] differ in more than axis 1"},
                 {.set = {{"axis", "2"}}, .message = "concat"}}},
    {.op = "concat",
     .note = "axis_0",
     .set = {{"axis", "-3"}},
     .inputs = {{.shape = {2, 3, 2}}, {.shape = {1, 3, 2}}},
     .truth = joined({3, 3, 2}, 0),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "stack",
     .set = {{"axis", "1"}},
     .inputs = two,
     .truth = joined({2, 2, 3}, 1),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2}}, {.shape = {3}}},
                  .set = {{"axis", "0"}},
                  .message = "stack: xs[0] [2] and xs[1] [3] must have one shape"}}},
    {.op = "",
     .function = "hstack",
     .inputs = two,
     .truth = joined({2, 6}, 1),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "hstack",
     .note = "vectors",
     .inputs = {{.shape = {2}}, {.shape = {3}}},
     .truth = joined({5}, 0)},
    {.op = "",
     .function = "vstack",
     .inputs = two,
     .truth = joined({4, 3}, 0),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "vstack",
     .note = "vectors",
     .inputs = {{.shape = {3}}, {.shape = {3}}},
     .truth = joined({2, 3}, 0)},
    {.op = "",
     .function = "dstack",
     .inputs = two,
     .truth = joined({2, 3, 2}, 2),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "dstack",
     .note = "vectors",
     .inputs = {{.shape = {3}}, {.shape = {3}}},
     .truth = joined({1, 3, 2}, 2)},
    {.op = "split_axis",
     .set = {{"indices_or_sections", "2"}, {"axis", "1"}},
     .inputs = matrix,
     .truth = split({2, 4}),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"indices_or_sections", "3"}},
                  .message =
                      "split_axis: axis 1 of x [3,4] has size 4, which 3 sections do not divide"}}},
    {.op = "split_axis",
     .note = "cuts",
     .set = {{"indices_or_sections", "(1, 1, 3)"}, {"axis", "-1"}},
     .inputs = matrix,
     .truth = split({1, 1, 3, 4}),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"indices_or_sections", "(3, 2)"}},
                  .message = "split_axis: cut 2 must be between 3"}}},
    {.op = "",
     .function = "separate",
     .set = {{"axis", "1"}},
     .inputs = {{.shape = {3, 2}}},
     .truth = {[](const References& in) -> References {
         References parts = columns(in[0], {1, 2});
         for (Reference& part : parts) part.shape = {3};
         return parts;
     }},
     .dtypes = all_dtypes()},
});

const int slices = add_rows({
    {.op = "slice",
     .set = {{"begin", "(1, 3)"}, {"step", "(1, -2)"}, {"size", "(2, 2)"}},
     .inputs = matrix,
     .truth = moved({2, 2}, [](const Dims& i) { return Dims{1 + i[0], 3 - 2 * i[1]}; }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"size", "(3, 2)"}},
                  .message = "slice: elements 1 to 3 of axis 0 are asked for, x [3,4] has 3"},
                 {.set = {{"step", "(0, 1)"}}, .message = "slice: axis 0 has step 0"}}},
    {.op = "slice",
     .note = "empty",
     .set = {{"begin", "(3, 0)"}, {"step", "(1, 1)"}, {"size", "(0, 4)"}},
     .inputs = matrix,
     .truth = one([](const References&) { return Reference({0, 4}); })},
    {.op = "place_slice",
     .set = {{"begin", "(3, 0)"}, {"step", "(-2, 1)"}, {"shape", "(5, 3)"}},
     .inputs = {{.shape = {2, 3}}},
     .truth = one([](const References& in) {
         Reference y({5, 3});
         for_each_index(in[0].shape, [&](const Dims& i) { y(3 - 2 * i[0], i[1]) = in[0][i]; });
         return y;
     }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "flip",
     .set = {{"axis", "-1"}},
     .inputs = cube,
     .truth = moved({2, 3, 4}, [](const Dims& i) { return Dims{i[0], i[1], 3 - i[2]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "flipud",
     .inputs = matrix,
     .truth = moved({3, 4}, [](const Dims& i) { return Dims{2 - i[0], i[1]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "fliplr",
     .inputs = matrix,
     .truth = moved({3, 4}, [](const Dims& i) { return Dims{i[0], 3 - i[1]}; }),
     .dtypes = all_dtypes()},
    {.op = "pad",
     .set = {{"pad_width", "((1, 0), (2, 1))"}, {"mode", "'constant'"}, {"constant_values", "3"}},
     .inputs = matrix,
     .truth = one([](const References& in) {
         Reference y({4, 7}, 3);
         for_each_index(in[0].shape, [&](const Dims& i) { y(i[0] + 1, i[1] + 2) = in[0][i]; });
         return y;
     }),
     .dtypes = all_dtypes(),
     .result = beside_an_integer,
     .rejects = {{.set = {{"pad_width", "((1, 1), (1, 1), (1, 1))"}},
                  .message = "pad: before [1,1,1] and after [1,1,1] need 2"},
                 {.set = {{"mode", "'median'"}}, .message = "pad: mode 'median' is none of"}}},
    {.op = "pad",
     .note = "everywhere",
     .set = {{"pad_width", "1"}, {"mode", "'constant'"}},
     .inputs = {{.shape = {0, 2}}},
     .truth = one([](const References&) { return Reference({2, 4}); })},
    {.op = "",
     .function = "pad",
     .note = "edge",
     .set = {{"pad_width", "(2, 1)"}, {"mode", "'edge'"}},
     .inputs = matrix,
     .truth = moved({6, 7},
                    [](const Dims& i) {
                        return Dims{std::clamp<int64_t>(i[0] - 2, 0, 2),
                                    std::clamp<int64_t>(i[1] - 2, 0, 3)};
                    }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "pad",
     .note = "reflect",
     .set = {{"pad_width", "((0, 0), (3, 2))"}, {"mode", "'reflect'"}},
     .inputs = matrix,
     .truth = moved({3, 9},
                    [](const Dims& i) {
                        const int64_t at = std::abs(i[1] - 3);
                        return Dims{i[0], at > 3 ? 6 - at : at};
                    }),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"pad_width", "((0, 0), (4, 0))"}},
                  .message = "pad: 4 elements beside axis 1"}}},
    {.op = "",
     .function = "pad",
     .note = "symmetric",
     .set = {{"pad_width", "((1, 1), (0, 0))"}, {"mode", "'symmetric'"}},
     .inputs = matrix,
     .truth = moved({5, 4},
                    [](const Dims& i) { return Dims{std::clamp<int64_t>(i[0] - 1, 0, 2), i[1]}; }),
     .dtypes = all_dtypes()},
    {.op = "",
     .function = "pad_sequence",
     .set = {{"padding", "-1"}},
     .inputs = {{.shape = {2, 2}}, {.shape = {3, 2}}, {.shape = {0, 2}}},
     .truth = one([](const References& in) {
         Reference y({3, 3, 2}, -1);
         for (int k = 0; k < 3; ++k)
             for_each_index(in[size_t(k)].shape,
                            [&](const Dims& i) { y(k, i[0], i[1]) = in[size_t(k)][i]; });
         return y;
     }),
     .dtypes = all_dtypes(),
     .result = beside_an_integer,
     .rejects = {{.set = {{"length", "2"}},
                  .message = "pad_sequence: xs[1] [3,2] does not fit into length 2"}}},
});

}  // namespace

}  // namespace catena::testing::movement_rows
