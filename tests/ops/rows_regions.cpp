#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::regions_rows {

namespace {

struct Bins {
    int64_t rows, columns;
    double scale;
    bool largest;
    int64_t samples = 0;  ///< Along each axis of a bin, between pixels; 0: pixels.
    double empty = -INFINITY;
    bool with_far_edge = false;
};

/// Between the pixels around (v, h); the border's pixel up to one beyond it.
double between(const Reference& x, int64_t n, int64_t c, double v, double h) {
    v = std::clamp(v, 0.0, double(x.dim(2) - 1));
    h = std::clamp(h, 0.0, double(x.dim(3) - 1));
    const auto pixel = [&](double i, double j) {
        return x(n, c, std::min(int64_t(i), x.dim(2) - 1), std::min(int64_t(j), x.dim(3) - 1));
    };
    const double top = std::floor(v), left = std::floor(h), down = v - top, right = h - left;
    return (1 - down) * ((1 - right) * pixel(top, left) + right * pixel(top, left + 1)) +
           down * ((1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1));
}

/// All values of a bin of pixels, and their number.
std::vector<double> pixels_of(const Reference& x, int64_t n, int64_t c, const double* box,
                              const Bins& b, int64_t i, int64_t j) {
    double begin[2], step[2];
    for (int a = 0; a < 2; ++a) {
        begin[a] = std::nearbyint(box[a] * b.scale);
        const double size = std::nearbyint(box[a + 2] * b.scale) - begin[a] + b.with_far_edge;
        step[a] = std::max(size, 1.0) / double(a == 0 ? b.rows : b.columns);
    }
    std::vector<double> values;
    for (int64_t v = 0; v < x.dim(2); ++v)
        for (int64_t h = 0; h < x.dim(3); ++h) {
            const auto touches = [&](int a, int64_t bin, int64_t at) {
                const double place = double(at) - begin[a];
                return place >= std::floor(double(bin) * step[a]) &&
                       place < std::ceil(double(bin + 1) * step[a]);
            };
            if (touches(0, i, v) && touches(1, j, h)) values.push_back(x(n, c, v, h));
        }
    return values;
}

/// All samples of a bin that lie in x.
std::vector<double> samples_of(const Reference& x, int64_t n, int64_t c, const double* box,
                               const Bins& b, int64_t i, int64_t j) {
    double begin[2], step[2];
    for (int a = 0; a < 2; ++a) {
        begin[a] = box[a] * b.scale;
        step[a] =
            std::max(box[a + 2] * b.scale - begin[a], 1.0) / double(a == 0 ? b.rows : b.columns);
    }
    std::vector<double> values;
    for (int64_t k = 0; k < b.samples * b.samples; ++k) {
        const double v = begin[0] +
                         step[0] * (double(i) + (double(k / b.samples) + 0.5) / double(b.samples)),
                     h = begin[1] +
                         step[1] * (double(j) + (double(k % b.samples) + 0.5) / double(b.samples));
        if (v < -1 || h < -1 || v > double(x.dim(2)) || h > double(x.dim(3))) continue;
        values.push_back(between(x, n, c, v, h));
    }
    return values;
}

Truth regions(const Bins& b) {
    return one([=](const References& in) {
        const Reference& x = in[0];
        Reference y(Shape{in[1].dim(0), x.dim(1), b.rows, b.columns});
        for_each_index(y.shape, [&](const Dims& at) {
            const bool joined = in.size() == 2;  // [image, left, top, right, bottom]
            double box[4];
            for (int k = 0; k < 4; ++k) box[k] = in[1](at[0], joined ? (k ^ 1) + 1 : k);
            const int64_t n = int64_t(joined ? in[1](at[0], 0) : in[2](at[0]));
            const std::vector<double> values =
                (b.samples ? samples_of : pixels_of)(x, n, at[1], box, b, at[2], at[3]);
            double sum = 0, largest = b.empty;
            for (size_t k = 0; k < values.size(); ++k) {
                sum += values[k];
                largest = k == 0 ? values[k] : std::max(largest, values[k]);
            }
            const double count = b.samples ? double(b.samples * b.samples) : double(values.size());
            y[at] = b.largest ? largest : count > 0 ? sum / count : 0;
        });
        return y;
    });
}

// Numbers that 16 bits have, and regions that reach beyond x.
const Input x = {.shape = {3, 2, 5, 6}};
const Input rois = {.shape = {4, 4},
                    .differentiable = false,
                    .values = {0, 1, 8, 9, 3.25, 4.5, 7.75, 7, -6, -2, 4, 30, 20, 2, 30, 8}};
// Numeric gradients need finite results: no bin of these is empty. Empty ones are held against
// Chainer (tests/conformance).
const Input near_rois = {.shape = {4, 4},
                         .differentiable = false,
                         .values = {0, 1, 8, 9, 3.25, 4.5, 7.75, 7, -1, -0.5, 4, 10, 2, 2, 5, 8}};
const Input images = {
    .shape = {4}, .dtype = Dtype::int32, .differentiable = false, .values = {0, 2, 1, 1}};
const Input old_rois = {.shape = {3, 5},
                        .differentiable = false,
                        .values = {0, 1, 0, 9, 8, 2, 4.5, 3.25, 7, 7.75, 1, 20, 2, 30, 8}};
const Settings bins = {{"outsize", "(2, 3)"}, {"spatial_scale", "0.625"}};
const Settings sampled = {
    {"outsize", "(2, 3)"}, {"spatial_scale", "0.625"}, {"sampling_ratio", "2"}};

const int rows = add_rows({
    {.function = "roi_max_pooling_2d",
     .set = bins,
     .inputs = {x, near_rois, images},
     .truth = regions({2, 3, 0.625, true}),
     .rejects =
         {{.inputs = {x, rois, {.shape = {4}, .dtype = Dtype::int32, .values = {0, 3, 1, 1}}},
           .message = "largest_of_regions: region 1 is of image 3, x has 3 images"},
          {.inputs = {x, {.shape = {4, 5}}, images},
           .message = "largest_of_regions: regions should be [R, 4] and their images [R], they are "
                      "[4,5] and [4]"},
          {.set = {{"outsize", "0"}}, .message = "roi_max_pooling_2d: outsize is [0]"},
          {.set = {{"spatial_scale", "-1"}},
           .message = "roi_max_pooling_2d: spatial_scale is -1"}}},
    {.op = "average_of_regions",
     .function = "roi_average_pooling_2d",
     .set = bins,
     .inputs = {x, rois, images},
     .truth = regions({2, 3, 0.625, false}),
     .rejects = {{.inputs = {x, {.shape = {4, 4}, .values = std::vector<double>(16, NAN)}, images},
                  .message = "average_of_regions: region 0 has a corner at nan"},
                 {.inputs = {{.shape = {3, 2, 5}}, rois, images},
                  .message =
                      "average_of_regions: x should be [N, C, H, W] with pixels, it is [3,2,5]"}}},
    {.op = "spread_over_regions",
     .function = "roi_average_align_2d",
     .set = sampled,
     .inputs = {x, rois, images},
     .truth = regions({2, 3, 0.625, false, 2})},
    {.op = "largest_of_regions",
     .function = "roi_max_align_2d",
     .set = sampled,
     .inputs = {x, near_rois, images},
     .truth = regions({2, 3, 0.625, true, 2})},
    {.function = "roi_pooling_2d",
     .set = {{"outh", "3"}, {"outw", "2"}, {"spatial_scale", "0.625"}},
     .inputs = {x, old_rois},
     .truth = regions({3, 2, 0.625, true, 0, 0, true}),
     .rejects = {{.inputs = {x, rois}, .message = "roi_pooling_2d: rois should be [R, 5]"}}},
});

}  // namespace

}  // namespace catena::testing::regions_rows
