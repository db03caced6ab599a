// Bilinear, depthwise and local connections, and cells of trees.
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::connection_rows {

namespace {

Truth bilinear_of(bool with_rest) {
    return one([=](const References& in) {
        const Reference &a = in[0], &b = in[1], &W = in[2];
        Reference y(Shape{a.dim(0), W.dim(2)});
        for_each_index(y.shape, [&](const Dims& at) {
            for (int64_t j = 0; j < W.dim(0); ++j)
                for (int64_t k = 0; k < W.dim(1); ++k)
                    y[at] += a.values[size_t(at[0] * W.dim(0) + j)] *
                             b.values[size_t(at[0] * W.dim(1) + k)] * W(j, k, at[1]);
            if (!with_rest) return;
            for (int64_t j = 0; j < W.dim(0); ++j)
                y[at] += a.values[size_t(at[0] * W.dim(0) + j)] * in[3](j, at[1]);
            for (int64_t k = 0; k < W.dim(1); ++k)
                y[at] += b.values[size_t(at[0] * W.dim(1) + k)] * in[4](k, at[1]);
            y[at] += in[5].values[size_t(at[1])];
        });
        return y;
    });
}

/// The filter element for result channel o at (h, w), of input channel c.
using Filter = std::function<double(const Reference& W, int64_t o, int64_t h, int64_t w, int64_t c,
                                    int64_t i, int64_t j)>;

Truth windows(int64_t channels, Dims sizes, Dims kernel, int64_t stride, int64_t pad,
              Filter filter) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y(Shape{x.dim(0), channels, sizes[0], sizes[1]});
        for_each_index(y.shape, [&](const Dims& at) {
            if (in.size() > 2)
                y[at] = in[2].rank() == 1 ? in[2](at[1]) : in[2](at[1], at[2], at[3]);
            for_each_index({x.dim(1), kernel[0], kernel[1]}, [&](const Dims& k) {
                const int64_t h = at[2] * stride + k[1] - pad, w = at[3] * stride + k[2] - pad;
                if (h < 0 || w < 0 || h >= x.dim(2) || w >= x.dim(3)) return;
                y[at] +=
                    x(at[0], k[0], h, w) * filter(in[1], at[1], at[2], at[3], k[0], k[1], k[2]);
            });
        });
        return y;
    });
}
double depthwise(const Reference& W, int64_t o, int64_t, int64_t, int64_t c, int64_t i, int64_t j) {
    return o / W.dim(0) == c ? W(o % W.dim(0), c, i, j) : 0;
}
double local(const Reference& W, int64_t o, int64_t h, int64_t w, int64_t c, int64_t i, int64_t j) {
    return W(o, h, w, c, i, j);
}

/// Group g of 1 x 3 groups of channels comes from the columns before, the same (the last group), or
/// behind.
Reference shifted(const References& in) {
    const Reference& x = in[0];
    Reference y(x.shape);
    const int64_t each = x.dim(1) / 3;
    for_each_index(x.shape, [&](const Dims& at) {
        Dims from = at;
        if (at[1] < each)
            from[3] += 2;
        else if (at[1] < 2 * each)
            from[3] -= 2;
        if (from[3] >= 0 && from[3] < x.dim(3)) y[at] = x[from];
    });
    return y;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

References slstm_of(const References& in) {
    References y{in[0], in[0]};
    for (size_t k = 0; k < in[0].values.size(); ++k) {
        const double *g = &in[2].values[4 * k], *other = &in[3].values[4 * k];
        const double c = std::tanh(g[0]) * sigmoid(g[1]) + std::tanh(other[0]) * sigmoid(other[1]) +
                         sigmoid(g[2]) * in[0].values[k] + sigmoid(other[2]) * in[1].values[k];
        y[0].values[k] = c;
        y[1].values[k] = sigmoid(g[3] + other[3]) * std::tanh(c);
    }
    return y;
}

References tree_of(const References& in) {
    const Reference& x = in.back();
    References y{in[0], in[0]};
    const int64_t units = in[0].dim(1);
    for_each_index(in[0].shape, [&](const Dims& at) {
        const auto gate = [&](int64_t k) { return x(at[0], k * units + at[1]); };
        double c = std::tanh(gate(0)) * sigmoid(gate(1));
        for (size_t k = 0; k + 1 < in.size(); ++k) c += sigmoid(gate(int64_t(3 + k))) * in[k][at];
        y[0][at] = c;
        y[1][at] = sigmoid(gate(2)) * std::tanh(c);
    });
    return y;
}

const Input absent = {.absent = true};
const std::vector<Input> pair = {{.shape = {2, 3}}, {.shape = {2, 2, 2}}, {.shape = {3, 4, 5}}};
std::vector<Input> with(std::vector<Input> inputs, std::vector<Input> more) {
    inputs.insert(inputs.end(), more.begin(), more.end());
    return inputs;
}

const int rows = add_rows({
    {.function = "bilinear",
     .inputs = with(pair, {absent, absent, absent}),
     .truth = bilinear_of(false),
     .tolerance = 16,
     .rejects = {{.inputs = with(pair, {absent, absent, {.shape = {5}}}),
                  .message = "bilinear: V1, V2 and b are given together or not at all"},
                 {.inputs = {{.shape = {2, 3}}, {.shape = {2, 4}}, {.shape = {3, 3, 5}}},
                  .message = "bilinear: W should be [3,4,5], it is [3,3,5]"},
                 {.inputs = {{.shape = {2, 3}}, {.shape = {3, 4}}, {.shape = {3, 4, 5}}},
                  .message = "bilinear: e1 [2,3] and e2 [3,4] should have one number of samples"}}},
    {.function = "bilinear",
     .note = "affine",
     .inputs = with(pair, {{.shape = {3, 5}}, {.shape = {4, 5}}, {.shape = {5}}}),
     .truth = bilinear_of(true),
     .tolerance = 16},
    {.function = "depthwise_convolution_2d",
     .set = {{"stride", "2"}, {"pad", "1"}},
     .inputs = {{.shape = {2, 3, 5, 4}}, {.shape = {2, 3, 3, 2}}, {.shape = {6}}},
     .truth = windows(6, {3, 3}, {3, 2}, 2, 1, depthwise),
     .tolerance = 8,
     .rejects = {{.inputs = {{.shape = {2, 3, 5, 4}}, {.shape = {2, 1, 3, 2}}},
                  .message = "depthwise_convolution_2d: x should be [N,C,H,W] and W [M,C,kh,kw], "
                             "they are [2,3,5,4] and [2,1,3,2]"}}},
    {.function = "local_convolution_2d",
     .inputs = {{.shape = {2, 3, 4, 4}}, {.shape = {2, 2, 3, 3, 3, 2}}, {.shape = {2, 2, 3}}},
     .truth = windows(2, {2, 3}, {3, 2}, 1, 0, local),
     .tolerance = 16,
     .rejects = {{.inputs = {{.shape = {2, 3, 4, 4}}, {.shape = {2, 1, 3, 3, 3, 2}}},
                  .message = "local_convolution_2d: W [2,1,3,3,3,2] has filters for 1 x 3 "
                             "positions, x [2,3,4,4] has 2 x 3"}}},
    {.function = "local_convolution_2d",
     .note = "stride",
     .set = {{"stride", "2"}},
     .inputs = {{.shape = {2, 3, 5, 5}}, {.shape = {2, 2, 2, 3, 2, 2}}, absent},
     .truth = windows(2, {2, 2}, {2, 2}, 2, 0, local),
     .tolerance = 16},
    {.function = "shift",
     .set = {{"ksize", "(1, 3)"}, {"dilate", "2"}},
     .inputs = {{.shape = {2, 7, 2, 5}}},
     .truth = one(shifted),
     .dtypes = all_dtypes(),
     .rejects = {{.set = {{"ksize", "2"}}, .message = "shift: ksize is [2,2] and should be odd"}}},
    {.function = "slstm",
     .inputs = {{.shape = {2, 3}}, {.shape = {2, 3}}, {.shape = {2, 12}}, {.shape = {2, 12}}},
     .truth = slstm_of,
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {2, 3}}, {.shape = {2, 3}}, {.shape = {2, 12}}, {.shape = {2, 9}}},
           .message =
               "slstm: c_prev2 should be [n,units] and x2 [n,4 units], they are [2,3] and [2,9]"}}},
    {.function = "tree_lstm",
     .inputs = {{.shape = {2, 3}}, {.shape = {2, 3}}, {.shape = {2, 3}}, {.shape = {2, 18}}},
     .truth = tree_of,
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {2, 3}}, {.shape = {2, 15}}},
                  .message = "tree_lstm: each c should be [n,units] and x [n,4 units], they are "
                             "[2,3] and [2,15]"},
                 {.inputs = {{.shape = {2, 3}}}, .message = "tree_lstm: 1 arrays given"}}},
});

}  // namespace

}  // namespace catena::testing::connection_rows
