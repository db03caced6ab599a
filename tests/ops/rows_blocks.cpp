#include <algorithm>

#include "tests/ops/op_table.h"

namespace catena::testing::blocks_rows {

namespace {

/// y[n, c, h r + i, w r + j] = x[n, (i r + j) C + c, h, w], or the inverse.
Truth blocks(int64_t r, bool inverse) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        const Shape& s = x.shape;
        Reference y(inverse ? Shape{s[0], s[1] * r * r, s[2] / r, s[3] / r}
                            : Shape{s[0], s[1] / (r * r), s[2] * r, s[3] * r});
        const Reference& image = inverse ? x : y;
        for_each_index(image.shape, [&](const Dims& at) {
            const Dims deep{at[0], (at[2] % r * r + at[3] % r) * image.dim(1) + at[1], at[2] / r,
                            at[3] / r};
            if (inverse)
                y[deep] = x[at];
            else
                y[at] = x[deep];
        });
        return y;
    });
}

/// The diagonal of matrices in axes `row` and `column` of three.
Truth diagonal_of(int64_t offset, int row, int column) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        const int other = 3 - row - column;
        const int64_t first = std::max<int64_t>(-offset, 0);
        const int64_t count =
            std::max<int64_t>(std::min(x.dim(row) - first, x.dim(column) - first - offset), 0);
        Reference y(Shape{x.dim(other), count});
        for_each_index(y.shape, [&](const Dims& i) {
            Dims at = Dims::filled(3, 0);
            at[other] = i[0];
            at[row] = first + i[1];
            at[column] = first + i[1] + offset;
            y[i] = x[at];
        });
        return y;
    });
}

References transposed(const References& xs) {
    References ys;
    for (int64_t t = 0; t < xs[0].dim(0); ++t) {
        int64_t going = 0;
        for (const Reference& x : xs) going += x.dim(0) > t;
        Shape shape = xs[0].shape;
        shape[0] = going;
        Reference y(shape);
        const int64_t row = y.size() / going;
        for (int64_t i = 0; i < going; ++i)
            std::copy_n(xs[size_t(i)].values.begin() + t * row, row, y.values.begin() + i * row);
        ys.push_back(y);
    }
    return ys;
}

const Input cube = {.shape = {3, 4, 5}};

const int rows = add_rows({
    {.function = "depth2space",
     .set = {{"r", "2"}},
     .inputs = {{.shape = {2, 12, 2, 3}}},
     .truth = blocks(2, false),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2, 6, 2, 3}}},
                  .message =
                      "depth2space: X [2,6,2,3] has 6 channels, which 2 x 2 does not divide"},
                 {.inputs = {{.shape = {2, 4}}},
                  .message = "depth2space: X should be [N,C,H,W], it is [2,4]"},
                 {.set = {{"r", "0"}}, .message = "depth2space: r is 0 and should be positive"}}},
    {.function = "space2depth",
     .set = {{"r", "3"}},
     .inputs = {{.shape = {2, 2, 3, 6}}},
     .truth = blocks(3, true),
     .dtypes = all_dtypes(),
     .rejects = {{.inputs = {{.shape = {2, 2, 3, 4}}},
                  .message =
                      "space2depth: r 3 does not divide the height and width of X [2,2,3,4]"}}},
    {.function = "diagonal",
     .inputs = {cube},
     .truth = diagonal_of(0, 0, 1),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"axis2", "-3"}},
                  .message = "diagonal: axis1 0 and axis2 -3 are the same axis of x [3,4,5]"},
                 {.inputs = {{.shape = {3}}}, .message = "diagonal: "}}},
    {.function = "diagonal",
     .note = "above",
     .set = {{"offset", "2"}, {"axis1", "-2"}, {"axis2", "-1"}},
     .inputs = {cube},
     .truth = diagonal_of(2, 1, 2)},
    {.function = "diagonal",
     .note = "below",
     .set = {{"offset", "-1"}, {"axis1", "2"}, {"axis2", "0"}},
     .inputs = {cube},
     .truth = diagonal_of(-1, 2, 0)},
    {.function = "diagonal",
     .note = "outside",
     .set = {{"offset", "7"}},
     .inputs = {cube},
     .truth = diagonal_of(7, 0, 1)},
    {.function = "transpose_sequence",
     .inputs = {{.shape = {4, 2}}, {.shape = {4, 2}}, {.shape = {2, 2}}, {.shape = {1, 2}}},
     .truth = transposed,
     .dtypes = all_dtypes(),
     .rejects =
         {{.inputs = {{.shape = {2, 3}}, {.shape = {3, 3}}},
           .message =
               "transpose_sequence: xs[1] [3,3] is longer than xs[0] [2,3]; sort them by "
               "decreasing length"},
          {.inputs = {{.shape = {2, 3}}, {.shape = {2, 4}}},
           .message =
               "transpose_sequence: xs[0] [2,3] and xs[1] [2,4] differ in more than their length"},
          {.inputs = {{.shape = {2}}, {.shape = {2}, .dtype = Dtype::float64}},
           .message =
               "transpose_sequence: xs[0] is float32, xs[1] is float64; dtypes must be equal"}}},
    {.function = "transpose_sequence",
     .note = "long",
     .inputs = {{.shape = {11, 2, 3}}, {.shape = {7, 2, 3}}},
     .truth = transposed},
});

}  // namespace

}  // namespace catena::testing::blocks_rows
