#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::pooling_rows {

namespace {

struct Window {
    int64_t kh, kw, sh, sw, ph, pw, height, width;  ///< The last two: sizes of the result.
};

/// Calls f(tap, element of x) for the elements of the window at `at` that lie inside x.
template <class F>
void for_each_tap(const Reference& x, const Window& w, const Dims& at, F f) {
    for (int64_t tap = 0; tap < w.kh * w.kw; ++tap) {
        const int64_t row = at[2] * w.sh - w.ph + tap / w.kw,
                      column = at[3] * w.sw - w.pw + tap % w.kw;
        if (row >= 0 && row < x.dim(2) && column >= 0 && column < x.dim(3))
            f(tap, x(at[0], at[1], row, column));
    }
}

Truth maxima(Window w, bool with_indices = false) {
    return [=](const References& in) {
        const Shape shape{in[0].dim(0), in[0].dim(1), w.height, w.width};
        References y{Reference(shape, -INFINITY), Reference(shape)};
        for_each_index(shape, [&](const Dims& at) {
            for_each_tap(in[0], w, at, [&](int64_t tap, double x) {
                if (!(x > y[0][at])) return;
                y[0][at] = x;
                y[1][at] = double(tap);
            });
        });
        if (!with_indices) y.pop_back();
        return y;
    };
}

Truth averages(Window w) {
    return one([=](const References& in) {
        Reference y({in[0].dim(0), in[0].dim(1), w.height, w.width});
        for_each_index(y.shape, [&](const Dims& at) {
            for_each_tap(in[0], w, at,
                         [&](int64_t, double x) { y[at] += x / double(w.kh * w.kw); });
        });
        return y;
    });
}

const int rows = add_rows({
    {.op = "max_pooling",
     .function = "max_pooling_2d",
     .set = {{"ksize", "2"}},
     .inputs = {{.shape = {2, 3, 6, 8}}},
     .truth = maxima({2, 2, 2, 2, 0, 0, 3, 4}),
     .rejects = {{.inputs = {{.shape = {3, 6, 8}}},
                  .message = "max_pooling: takes [N,C,H,W], x is [3,6,8]"},
                 {.set = {{"ksize", "(2, 2, 2)"}},
                  .message = "max_pooling_2d: ksize is [2,2,2] and should be"},
                 {.set = {{"ksize", "9"}, {"cover_all", "False"}},
                  .message =
                      "max_pooling: a window of [9,9] (pad [0,0]) does not fit into x [2,3,6,8]"}}},
    {.op = "max_pooling",
     .function = "max_pooling_2d",
     .note = "with_indices",
     .set = {{"ksize", "(3, 2)"}, {"stride", "(2, 1)"}, {"pad", "1"}, {"return_indices", "True"}},
     .inputs = {{.shape = {2, 3, 6, 7}}},
     .truth = maxima({3, 2, 2, 1, 1, 1, 4, 8}, true)},
    {.op = "max_pooling_scatter",
     .function = "max_pooling_2d",
     .note = "covers_all",
     .set = {{"ksize", "2"}},
     .inputs = {{.shape = {1, 2, 7, 5}}},
     .truth = maxima({2, 2, 2, 2, 0, 0, 4, 3})},
    {.op = "max_pooling_gather",
     .function = "max_pooling_2d",
     .note = "leaves_a_rest",
     .set = {{"ksize", "2"}, {"cover_all", "False"}},
     .inputs = {{.shape = {1, 2, 7, 37}}},
     .truth = maxima({2, 2, 2, 2, 0, 0, 3, 18})},
    {.op = "max_pooling",
     .function = "max_pooling_2d",
     .note = "sparse",
     .set = {{"ksize", "2"}, {"stride", "3"}},
     .inputs = {{.shape = {1, 2, 7, 8}}},
     .truth = maxima({2, 2, 3, 3, 0, 0, 3, 3})},
    {.op = "max_pooling",
     .function = "max_pooling_2d",
     .note = "no_batch",
     .set = {{"ksize", "2"}},
     .inputs = {{.shape = {0, 2, 4, 4}}},
     .truth = maxima({2, 2, 2, 2, 0, 0, 2, 2})},
    {.op = "average_pooling",
     .function = "average_pooling_2d",
     .set = {{"ksize", "2"}},
     .inputs = {{.shape = {2, 3, 6, 8}}},
     .truth = averages({2, 2, 2, 2, 0, 0, 3, 4}),
     .rejects = {{.inputs = {{.shape = {3, 6, 8}}},
                  .message = "average_pooling: takes [N,C,H,W], x is [3,6,8]"}}},
    {.op = "average_pooling_spread",
     .function = "average_pooling_2d",
     .note = "padded",
     .set = {{"ksize", "(3, 2)"}, {"stride", "(2, 1)"}, {"pad", "1"}},
     .inputs = {{.shape = {2, 3, 6, 7}}},
     .truth = averages({3, 2, 2, 1, 1, 1, 3, 8})},
});

}  // namespace

}  // namespace catena::testing::pooling_rows
