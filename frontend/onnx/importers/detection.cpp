// Boxes of object detectors: suppression, and pooling of image regions.
#include <algorithm>
#include <numeric>

#include "frontend/onnx/importers/shared.h"
#include "runtime/cpu/pooling/roi_kernel.h"
#include "runtime/ops/pooling/roi.h"

namespace catena::onnx {
namespace {

struct Box {
    double top, left, bottom, right;

    double area() const { return (bottom - top) * (right - left); }
};

/// A box from any two opposite corners (y, x, y, x), or with `centred` from (x, y, width, height).
Box box_of(const double* b, bool centred) {
    if (centred) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
    return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

/// Intersection over union; 0 of boxes without an area.
double overlap(const Box& a, const Box& b) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
                 width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0) return 0;
    return height * width / (a.area() + b.area() - height * width);
}

/// The best boxes of one class, whose overlap with better ones is at most `most`.
std::vector<int64_t> suppressed(const std::vector<Box>& boxes, const double* scores, double least,
                                double most, int64_t count) {
    std::vector<int64_t> order(boxes.size()), kept;
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int64_t i) { return !(scores[i] > least); });
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
    for (int64_t i : order) {
        if (int64_t(kept.size()) >= count) break;
        const auto near = [&](int64_t k) {
            return overlap(boxes[size_t(i)], boxes[size_t(k)]) > most;
        };
        if (std::none_of(kept.begin(), kept.end(), near)) kept.push_back(i);
    }
    return kept;
}

/// Rows (batch, class, box). Decided on the host: their number depends on the scores.
Variables non_maxima_suppressed(const NodeCall& n) {
    const Shape &b = n[0].shape(), &s = n[1].shape();
    if (b.rank() != 3 || b[2] != 4 || s.rank() != 3 || s[0] != b[0] || s[2] != b[1])
        n.wrong(fmt::format("boxes {} and scores {} do not match", to_string(b), to_string(s)));
    const int64_t count = n.has(2) ? n.value(2, {.least = 0}) : 0;
    const double most = n.has(3) ? n.number_at(3) : 0,
                 least = n.has(4) ? n.number_at(4) : -INFINITY;
    const bool centred = n.flag("center_point_box");
    const std::vector<double> corners = n[0].array().to_vector<double>(),
                              scores = n[1].array().to_vector<double>();
    std::vector<int64_t> rows;
    for (int64_t batch = 0; batch < b[0]; ++batch) {
        std::vector<Box> boxes;
        for (int64_t i = 0; i < b[1]; ++i)
            boxes.push_back(box_of(corners.data() + (batch * b[1] + i) * 4, centred));
        for (int64_t c = 0; c < s[1]; ++c)
            for (int64_t i :
                 suppressed(boxes, scores.data() + (batch * s[1] + c) * s[2], least, most, count))
                rows.insert(rows.end(), {batch, c, i});
    }
    const int64_t found = int64_t(rows.size()) / 3;
    return {Variable(Array::from(rows, Shape{found, 3}), false)};
}

RegionBins bins_of(const NodeCall& n, int64_t height, int64_t width) {
    constexpr const char* name = "coordinate_transformation_mode";
    const bool shifted = n.has_attribute(name)
                             ? n.choice(name, {"half_pixel", "output_half_pixel"}) == "half_pixel"
                             : n.opset() >= 16;
    const int64_t samples = n.integer("sampling_ratio", 0, any_size);
    return {.rows = height,
            .columns = width,
            .scale = n.number("spatial_scale", 1),
            .aligned = true,
            .shift = shifted ? 0.5 : 0,
            .at_least_one = !shifted,
            .sample_rows = samples,
            .sample_columns = samples};
}

/// Averages, or maxima, of samples in the bins of every region (He et al. 2017).
Variables regions_aligned(const NodeCall& n) {
    const Shape& x = n[0].shape();
    const int64_t height = n.integer("output_height", 1, positive),
                  width = n.integer("output_width", 1, positive);
    if (x.rank() != 4 || n[1].rank() != 2 || n[1].shape()[1] != 4 || n[2].size() != n[1].shape()[0])
        n.wrong("the image, its regions and their batch indices do not match");
    const RegionBins bins = bins_of(n, height, width);
    const Variable order(Array::from<int64_t>({1, 0, 3, 2}), false);  // From x, y to y, x.
    const Variable corners = take(n[1], order, 1), images = reshape(n[2], {-1});
    if (n.choice("mode", {"avg", "max"}) == "max")
        return {largest_of_regions(n[0], corners, images, bins, 0, true)};
    return {average_of_regions(n[0], corners, images, bins)};
}

const int detection_importers =
    add_importers({{"NonMaxSuppression", non_maxima_suppressed}, {"RoiAlign", regions_aligned}});

}  // namespace
}  // namespace catena::onnx
