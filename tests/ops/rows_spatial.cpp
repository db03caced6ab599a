#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::spatial_rows {

namespace {

/// Between the pixels around (v, h); zeros outside, or the nearest pixel.
double between(const Reference& x, int64_t n, int64_t c, double v, double h, bool zeros) {
    const double top = std::floor(v), left = std::floor(h);
    const auto pixel = [&](double i, double j) {
        const bool inside = i >= 0 && j >= 0 && i < double(x.dim(2)) && j < double(x.dim(3));
        if (zeros && !inside) return 0.0;
        return x(n, c, std::clamp<int64_t>(int64_t(i), 0, x.dim(2) - 1),
                 std::clamp<int64_t>(int64_t(j), 0, x.dim(3) - 1));
    };
    const double down = v - top, right = h - left;
    return (1 - down) * ((1 - right) * pixel(top, left) + right * pixel(top, left + 1)) +
           down * ((1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1));
}

Truth resized(int64_t height, int64_t width, const std::string& mode, bool align) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        const auto place = [&](int64_t i, int64_t from, int64_t to) {
            if (mode == "nearest") return double(i * from / to);
            if (align) return to > 1 ? double(i * (from - 1)) / double(to - 1) : 0;
            return std::max((double(i) + 0.5) * double(from) / double(to) - 0.5, 0.0);
        };
        Reference y(Shape{x.dim(0), x.dim(1), height, width});
        for_each_index(y.shape, [&](const Dims& i) {
            y[i] = between(x, i[0], i[1], place(i[2], x.dim(2), height),
                           place(i[3], x.dim(3), width), false);
        });
        return y;
    });
}

Truth columns(const Dims& kernel, const Dims& stride, const Dims& pad, const Dims& dilate,
              bool cover_all) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Dims count;
        for (int i = 0; i < 2; ++i) {
            const int64_t room = x.dim(i + 2) + 2 * pad[i] - (kernel[i] - 1) * dilate[i] - 1;
            count.push_back((cover_all ? room + stride[i] - 1 : room) / stride[i] + 1);
        }
        Reference y(Shape{x.dim(0), x.dim(1) * kernel[0] * kernel[1], count[0], count[1]});
        for_each_index(y.shape, [&](const Dims& at) {
            const int64_t j = at[1] % kernel[1], i = at[1] / kernel[1] % kernel[0],
                          c = at[1] / (kernel[0] * kernel[1]);
            const int64_t h = at[2] * stride[0] + i * dilate[0] - pad[0],
                          w = at[3] * stride[1] + j * dilate[1] - pad[1];
            if (h >= 0 && w >= 0 && h < x.dim(2) && w < x.dim(3)) y[at] = x(at[0], c, h, w);
        });
        return y;
    });
}

Truth affine_places(int64_t height, int64_t width) {
    return one([=](const References& in) {
        const Reference& theta = in[0];
        Reference y(Shape{theta.dim(0), 2, height, width});
        for_each_index(y.shape, [&](const Dims& i) {
            const auto along = [](int64_t at, int64_t size) {
                return size > 1 ? 2 * double(at) / double(size - 1) - 1 : -1.0;
            };
            y[i] = theta(i[0], i[1], 0) * along(i[3], width) +
                   theta(i[0], i[1], 1) * along(i[2], height) + theta(i[0], i[1], 2);
        });
        return y;
    });
}

Truth sampled() {
    return one([](const References& in) {
        const Reference &x = in[0], &grid = in[1];
        Reference y(Shape{x.dim(0), x.dim(1), grid.dim(2), grid.dim(3)});
        for_each_index(y.shape, [&](const Dims& i) {
            const auto place = [&](int64_t k, int64_t size) {
                return (grid(i[0], k, i[2], i[3]) + 1) * double(size - 1) / 2;
            };
            y[i] = between(x, i[0], i[1], place(1, x.dim(2)), place(0, x.dim(3)), true);
        });
        return y;
    });
}

/// x, offset, W and, where given, b; windows from -pad.
Truth deformed(const Dims& stride, const Dims& pad) {
    return one([=](const References& in) {
        const Reference &x = in[0], &offset = in[1], &W = in[2];
        Reference y(Shape{x.dim(0), W.dim(0), offset.dim(2), offset.dim(3)});
        for_each_index(y.shape, [&](const Dims& i) {
            double sum = in.size() > 3 ? in[3](i[1]) : 0;
            for (int64_t k = 0; k < W.dim(2) * W.dim(3); ++k) {
                const int64_t row = k / W.dim(3), column = k % W.dim(3),
                              elements = W.dim(2) * W.dim(3);
                const double h = double(i[2] * stride[0] + row - pad[0]) +
                                 offset(i[0], elements + k, i[2], i[3]),
                             w = double(i[3] * stride[1] + column - pad[1]) +
                                 offset(i[0], k, i[2], i[3]);
                for (int64_t c = 0; c < x.dim(1); ++c)
                    sum += W(i[1], c, row, column) * between(x, i[0], c, h, w, true);
            }
            y[i] = sum;
        });
        return y;
    });
}

const Input images = {.shape = {2, 3, 4, 5}};

const int rows = add_rows({
    {.function = "resize_images",
     .set = {{"output_shape", "(7, 3)"}},
     .inputs = {images},
     .truth = resized(7, 3, "bilinear", true),
     .tolerance = 2,
     .rejects =
         {{.set = {{"mode", "'cubic'"}},
           .message = "resize_images: mode is 'cubic' and should be 'bilinear' or 'nearest'"},
          {.set = {{"output_shape", "(7, 0)"}},
           .message = "resize_images: output_shape is [7,0] and should be two positive sizes"},
          {.inputs = {{.shape = {2, 3, 0, 5}}},
           .message = "resize_images: x [2,3,0,5] has no pixels"},
          {.inputs = {{.shape = {4, 5}}},
           .message = "resize_images: x should be [N,C,H,W], it is [4,5]"}}},
    {.function = "resize_images",
     .note = "borders",
     .set = {{"output_shape", "(8, 2)"}, {"align_corners", "False"}},
     .inputs = {images},
     .truth = resized(8, 2, "bilinear", false),
     .tolerance = 2},
    {.function = "resize_images",
     .note = "one_pixel",
     .set = {{"output_shape", "(1, 1)"}},
     .inputs = {images},
     .truth = resized(1, 1, "bilinear", true),
     .tolerance = 2},
    {.function = "resize_images",
     .note = "nearest",
     .set = {{"output_shape", "(9, 2)"}, {"mode", "'nearest'"}},
     .inputs = {images},
     .truth = resized(9, 2, "nearest", true)},
    {.function = "im2col",
     .set = {{"ksize", "3"}},
     .inputs = {images},
     .truth = columns({3, 3}, {1, 1}, {0, 0}, {1, 1}, false),
     .dtypes = all_dtypes(),
     .rejects =
         {{.set = {{"ksize", "6"}},
           .message =
               "im2col: a window of [6,6] (pad [0,0], dilate [1,1]) does not fit into x [2,3,4,5]"},
          {.inputs = {{.shape = {4, 5}}},
           .message = "im2col: x should be [N,C,H,W], it is [4,5]"}}},
    {.function = "im2col",
     .note = "options",
     .set = {{"ksize", "(2, 3)"},
             {"stride", "(3, 2)"},
             {"pad", "(1, 2)"},
             {"cover_all", "True"},
             {"dilate", "(2, 1)"}},
     .inputs = {images},
     .truth = columns({2, 3}, {3, 2}, {1, 2}, {2, 1}, true)},
    {.function = "spatial_transformer_grid",
     .set = {{"output_shape", "(3, 4)"}},
     .inputs = {{.shape = {2, 2, 3}}},
     .truth = affine_places(3, 4),
     .tolerance = 4,
     .rejects =
         {{.inputs = {{.shape = {2, 3, 3}}},
           .message =
               "spatial_transformer_grid: theta should be [B,2,3], it is [2,3,3]"},
          {.set = {{"output_shape", "3"}},
           .message =
               "spatial_transformer_grid: output_shape is [3] and should be two positive sizes"}}},
    {.function = "spatial_transformer_sampler",
     .inputs = {images, {.shape = {2, 2, 3, 2}, .low = -1.6, .high = 1.6}},
     .truth = sampled(),
     .tolerance = 8,
     .rejects = {{.inputs = {images, {.shape = {2, 3, 3, 2}}},
                  .message =
                      "spatial_transformer_sampler: x should be [B,C,H,W] and grid [B,2,H2,W2], "
                      "they are [2,3,4,5] and [2,3,3,2]"}}},
    {.function = "deformable_convolution_2d_sampler",
     .inputs = {images,
                {.shape = {2, 8, 3, 4}, .low = 0.1, .high = 0.9},
                {.shape = {2, 3, 2, 2}},
                {.shape = {2}}},
     .truth = deformed({1, 1}, {0, 0}),
     .tolerance = 16,
     .rejects =
         {{.inputs = {images, {.shape = {2, 6, 3, 4}}, {.shape = {2, 3, 2, 2}}, {.shape = {2}}},
           .message = "deformable_convolution_2d_sampler: offset should be [2, 8, positions down, "
                      "positions across], it "
                      "is [2,6,3,4] (W [2,3,2,2])"},
          {.inputs = {images, {.shape = {2, 8, 3, 4}}, {.shape = {2, 2, 2, 2}}, {.shape = {2}}},
           .message = "deformable_convolution_2d_sampler: x should be [N, C, H, W] and W [O, C, "
                      "kh, kw], they are "
                      "[2,3,4,5] and [2,2,2,2]"},
          {.inputs = {images, {.shape = {2, 8, 3, 4}}, {.shape = {2, 3, 2, 2}}, {.shape = {3}}},
           .message = "deformable_convolution_2d_sampler: b should be [2], it is [3]"}}},
    {.function = "deformable_convolution_2d_sampler",
     .note = "far_offsets",  // Also across the border, where Chainer's padding has its centre.
     .set = {{"stride", "(2, 1)"}, {"pad", "(1, 0)"}},
     .inputs = {images,
                {.shape = {2, 12, 2, 3}, .low = -2.45, .high = 2.45},
                {.shape = {2, 3, 3, 2}},
                {.absent = true}},
     .truth = deformed({2, 1}, {1, 0}),
     .tolerance = 16},
});

}  // namespace

}  // namespace catena::testing::spatial_rows
