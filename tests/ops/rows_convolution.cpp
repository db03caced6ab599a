#include "tests/ops/op_table.h"

namespace catena::testing::convolution_rows {

namespace {

struct Window {
    std::vector<int64_t> stride, pad, dilate;
    int64_t groups = 1;
};

/// Calls f(element of x, element of W, element of y) for every product of a convolution, by its
/// definition.
template <class F>
void for_each_product(const Shape& x, const Shape& W, const Shape& y, const Window& w, F f) {
    const int axes = x.rank() - 2;
    const int64_t channels = W[1], outputs = W[0] / w.groups;
    Shape taps{W[1]};
    for (int i = 0; i < axes; ++i) taps.push_back(W[i + 2]);
    for_each_index(y, [&](const Dims& at) {
        for_each_index(taps, [&](const Dims& tap) {
            Dims from{at[0], at[1] / outputs * channels + tap[0]}, weight{at[1], tap[0]};
            for (int i = 0; i < axes; ++i) {
                const int64_t position =
                    at[i + 2] * w.stride[i] - w.pad[i] + tap[i + 1] * w.dilate[i];
                if (position < 0 || position >= x[i + 2]) return;
                from.push_back(position);
                weight.push_back(tap[i + 1]);
            }
            f(from, weight, at);
        });
    });
}

/// `positions`: spatial sizes of the result.
Truth convolved(Window w, std::vector<int64_t> positions) {
    return one([=](const References& in) {
        Shape shape{in[0].dim(0), in[1].dim(0)};
        for (int64_t p : positions) shape.push_back(p);
        Reference y(shape);
        for_each_product(
            in[0].shape, in[1].shape, shape, w,
            [&](const Dims& x, const Dims& W, const Dims& at) { y[at] += in[0][x] * in[1][W]; });
        if (in.size() > 2) for_each_index(shape, [&](const Dims& at) { y[at] += in[2](at[1]); });
        return y;
    });
}

Truth deconvolved(Window w, std::vector<int64_t> size) {
    return one([=](const References& in) {
        Shape shape{in[0].dim(0), in[1].dim(1) * w.groups};
        for (int64_t s : size) shape.push_back(s);
        Reference y(shape);
        for_each_product(
            shape, in[1].shape, in[0].shape, w,
            [&](const Dims& to, const Dims& W, const Dims& at) { y[to] += in[0][at] * in[1][W]; });
        if (in.size() > 2) for_each_index(shape, [&](const Dims& at) { y[at] += in[2](at[1]); });
        return y;
    });
}

const Window plain = {{1, 1}, {0, 0}, {1, 1}};

const int rows = add_rows({
    {.op = "convolution",
     .function = "convolution_2d",
     .inputs = {{.shape = {2, 3, 5, 6}}, {.shape = {4, 3, 3, 2}}, {.absent = true}},
     .truth = convolved(plain, {3, 5}),
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {8, 4, 28, 28}}, {.shape = {6, 3, 5, 5}}, {.absent = true}},
           .message = "convolution_2d: W takes 3 channels, x has 4 (x [8,4,28,28], W [6,3,5,5])"},
          {.inputs = {{.shape = {8, 3, 4}}, {.shape = {6, 3, 5, 5}}, {.absent = true}},
           .message =
               "convolution_2d: x and W should have 4 axes, x is [8,3,4] and W is [6,3,5,5]"},
          {.inputs = {{.shape = {1, 3, 4, 4}}, {.shape = {6, 3, 5, 5}}, {.absent = true}},
           .message = "convolution_2d: a window of [5,5] (pad [0,0], dilate [1,1]) does not fit "
                      "into [4,4]"},
          {.set = {{"stride", "0"}},
           .message =
               "convolution_2d: stride is [0] and should be 1 or more, one for each of 2 axes"},
          {.set = {{"groups", "0"}},
           .message = "convolution_2d: groups is 0 and should be 1 or more"},
          {.inputs = {{.shape = {1, 4, 4, 4}}, {.shape = {3, 2, 1, 1}}, {.absent = true}},
           .set = {{"groups", "2"}},
           .message = "convolution_2d: W gives 3 channels, which 2 groups do not divide"}}},
    {.op = "convolution_bias",
     .function = "convolution_2d",
     .note = "strided",
     .set = {{"stride", "(2, 1)"}, {"pad", "(1, 2)"}},
     .inputs = {{.shape = {2, 3, 5, 6}}, {.shape = {4, 3, 3, 2}}, {.shape = {4}}},
     .truth = convolved({{2, 1}, {1, 2}, {1, 1}}, {3, 9}),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {1, 3, 4, 4}}, {.shape = {4, 3, 1, 1}}, {.shape = {3}}},
                  .message =
                      "convolution_2d: b should be [4], it is [3] (x [1,3,4,4], W [4,3,1,1])"}}},
    {.op = "convolution_weights",
     .function = "convolution_2d",
     .note = "covers_all",
     .set = {{"stride", "2"}, {"cover_all", "True"}},
     .inputs = {{.shape = {2, 2, 6, 7}}, {.shape = {3, 2, 3, 3}}, {.shape = {3}}},
     .truth = convolved({{2, 2}, {0, 0}, {1, 1}}, {3, 3}),
     .tolerance = 4},
    {.op = "convolution",
     .function = "convolution_2d",
     .note = "leaves_a_rest",
     .set = {{"stride", "3"}},
     .inputs = {{.shape = {2, 2, 7, 8}}, {.shape = {3, 2, 2, 2}}, {.absent = true}},
     .truth = convolved({{3, 3}, {0, 0}, {1, 1}}, {2, 3}),
     .tolerance = 4},
    {.op = "convolution",
     .function = "convolution_2d",
     .note = "dilated_groups",
     .set = {{"dilate", "(2, 3)"}, {"groups", "2"}, {"pad", "1"}},
     .inputs = {{.shape = {2, 4, 6, 7}}, {.shape = {6, 2, 2, 2}}, {.absent = true}},
     .truth = convolved({{1, 1}, {1, 1}, {2, 3}, 2}, {6, 6}),
     .tolerance = 4},
    {.op = "convolution",
     .function = "convolution_2d",
     .note = "many_channels",
     .set = {{"pad", "1"}},
     .inputs = {{.shape = {1, 17, 4, 3}}, {.shape = {19, 17, 3, 3}}, {.shape = {19}}},
     .truth = convolved({{1, 1}, {1, 1}, {1, 1}}, {4, 3}),
     .tolerance = 20},
    {.op = "convolution",
     .function = "convolution_2d",
     .note = "no_batch",
     .inputs = {{.shape = {0, 3, 5, 6}}, {.shape = {4, 3, 3, 2}}, {.absent = true}},
     .truth = convolved(plain, {3, 5})},
    {.op = "convolution",
     .function = "convolution_nd",
     .note = "one_axis",
     .set = {{"stride", "2"}, {"pad", "1"}},
     .inputs = {{.shape = {2, 3, 7}}, {.shape = {4, 3, 3}}, {.shape = {4}}},
     .truth = convolved({{2}, {1}, {1}}, {4}),
     .tolerance = 4},
    {.op = "convolution",
     .function = "convolution_nd",
     .note = "three_axes",
     .inputs = {{.shape = {1, 2, 3, 4, 3}}, {.shape = {3, 2, 2, 2, 2}}, {.absent = true}},
     .truth = convolved({{1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, {2, 3, 2}),
     .tolerance = 4},

    {.op = "convolution_data",
     .function = "deconvolution_2d",
     .inputs = {{.shape = {2, 3, 3, 4}}, {.shape = {3, 2, 3, 2}}, {.absent = true}},
     .truth = deconvolved(plain, {5, 5}),
     .tolerance = 4,
     .rejects = {{.inputs = {{.shape = {2, 4, 3, 4}}, {.shape = {3, 2, 3, 2}}, {.absent = true}},
                  .message =
                      "deconvolution: W takes 3 channels, x has 4 (x [2,4,3,4], W [3,2,3,2])"},
                 {.set = {{"outsize", "(9, 5)"}},
                  .message = "deconvolution: an output of [9,5] does not come from x"},
                 {.inputs = {{.shape = {2, 3, 3, 4}}, {.shape = {3, 2, 3, 2}}, {.shape = {3}}},
                  .message = "deconvolution_2d: b should be [2], it is [3]"}}},
    {.op = "convolution_data",
     .function = "deconvolution_2d",
     .note = "strided",
     .set = {{"stride", "2"}, {"pad", "1"}},
     .inputs = {{.shape = {2, 3, 3, 4}}, {.shape = {3, 2, 4, 4}}, {.shape = {2}}},
     .truth = deconvolved({{2, 2}, {1, 1}, {1, 1}}, {6, 8}),
     .tolerance = 4},
    {.op = "convolution_data",
     .function = "deconvolution_2d",
     .note = "outsize",
     .set = {{"stride", "2"}, {"outsize", "(6, 5)"}},
     .inputs = {{.shape = {2, 3, 3, 2}}, {.shape = {3, 2, 2, 2}}, {.absent = true}},
     .truth = deconvolved({{2, 2}, {0, 0}, {1, 1}}, {6, 5}),
     .tolerance = 4},
    {.op = "convolution_data",
     .function = "deconvolution_nd",
     .note = "groups",
     .set = {{"stride", "2"}, {"groups", "2"}, {"dilate", "2"}},
     .inputs = {{.shape = {2, 4, 3}}, {.shape = {4, 3, 2}}, {.absent = true}},
     .truth = deconvolved({{2}, {0}, {2}, 2}, {7}),
     .tolerance = 4},

    {.function = "convolution_1d",
     .set = {{"stride", "2"}, {"pad", "1"}, {"dilate", "2"}},
     .inputs = {{.shape = {2, 3, 7}}, {.shape = {4, 3, 3}}, {.shape = {4}}},
     .truth = convolved({{2}, {1}, {2}}, {3}),
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {2, 3, 7, 7}}, {.shape = {4, 3, 3, 3}}, {.shape = {4}}},
           .message =
               "convolution_1d: x and W should have 3 axes, x is [2,3,7,7] and W is [4,3,3,3]"}}},
    {.function = "convolution_3d",
     .set = {{"groups", "2"}, {"pad", "(1, 0, 1)"}},
     .inputs = {{.shape = {1, 4, 2, 3, 3}}, {.shape = {2, 2, 2, 2, 2}}, {.absent = true}},
     .truth = convolved({{1, 1, 1}, {1, 0, 1}, {1, 1, 1}, 2}, {3, 2, 4}),
     .tolerance = 4},
    {.function = "deconvolution_1d",
     .set = {{"stride", "2"}, {"outsize", "8"}},
     .inputs = {{.shape = {2, 3, 3}}, {.shape = {3, 2, 3}}, {.shape = {2}}},
     .truth = deconvolved({{2}, {0}, {1}}, {8}),
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {2, 3, 3, 3}}, {.shape = {3, 2, 3}}, {.shape = {2}}},
           .message =
               "deconvolution_1d: x and W should have 3 axes, x is [2,3,3,3] and W is [3,2,3]"}}},
    {.function = "deconvolution_3d",
     .inputs = {{.shape = {1, 2, 2, 3, 2}}, {.shape = {2, 2, 2, 1, 2}}, {.absent = true}},
     .truth = deconvolved({{1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, {3, 3, 3}),
     .tolerance = 4},
    {.function = "dilated_convolution_2d",
     .set = {{"dilate", "(2, 1)"}, {"pad", "1"}},
     .inputs = {{.shape = {2, 3, 5, 4}}, {.shape = {2, 3, 3, 2}}, {.shape = {2}}},
     .truth = convolved({{1, 1}, {1, 1}, {2, 1}}, {3, 5}),
     .tolerance = 4},
});

}  // namespace

}  // namespace catena::testing::convolution_rows
