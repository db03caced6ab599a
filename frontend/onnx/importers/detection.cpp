// Boxes of object detectors: suppression, and pooling of image regions.
#include <algorithm>
#include <array>
#include <numeric>

#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

struct Box {
    double top, left, bottom, right;

    double area() const { return (bottom - top) * (right - left); }
};

/// From any two opposite corners (y, x, y, x), or with `centred` from (x, y, width, height).
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
    const int64_t count = n.has(2) ? n.value(2) : 0;
    const double most = n.has(3) ? n.number_at(3) : 0,
                 least = n.has(4) ? n.number_at(4) : -INFINITY;
    const bool centred = n.integer("center_point_box", 0) != 0;
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

/// The two elements beside a place along an axis, and the second one's weight.
struct Neighbours {
    int64_t low = 0, high = 0;
    double weight = 0;
    bool inside = true;
};

Neighbours neighbours_of(double place, int64_t size) {
    if (place < -1 || place > double(size)) return {.inside = false};
    const double x = std::clamp(place, 0.0, double(size - 1));
    const int64_t low = int64_t(x);
    return {low, std::min(low + 1, size - 1), x - double(low)};
}

/// Which elements of the image every sample of every region reads, with which weights.
struct Samples {
    int64_t each = 1;  ///< Samples of a bin; of smaller regions some stand twice with weight 0.
    std::array<std::vector<int64_t>, 4> places;
    std::array<std::vector<double>, 4> weights;
    std::vector<char> counts;  ///< Whether it is one of the bin's own samples.

    void add(int64_t image, const Neighbours& y, const Neighbours& x, int64_t width, bool own) {
        const double share = own && y.inside && x.inside;
        const int64_t rows[] = {y.low, y.low, y.high, y.high},
                      columns[] = {x.low, x.high, x.low, x.high};
        const double wy[] = {1 - y.weight, y.weight}, wx[] = {1 - x.weight, x.weight};
        for (size_t k = 0; k < 4; ++k) {
            places[k].push_back(image + rows[k] * width + columns[k]);
            weights[k].push_back(share * wy[k / 2] * wx[k % 2]);
        }
        counts.push_back(own);
    }
};

struct Region {
    double top, left, bin_height, bin_width;
    int64_t rows, columns;  ///< Samples along a bin.
};

Region region_of(const NodeCall& n, const double* corners, int64_t height, int64_t width) {
    const double scale = n.number("spatial_scale", 1);
    const std::string mode = n.text("coordinate_transformation_mode",
                                    n.opset() < 16 ? "output_half_pixel" : "half_pixel");
    const bool shifted = mode == "half_pixel";
    const double shift = shifted ? 0.5 : 0, left = corners[0] * scale - shift,
                 top = corners[1] * scale - shift;
    double w = corners[2] * scale - shift - left, h = corners[3] * scale - shift - top;
    if (!shifted) {  // Empty regions are one element large.
        w = std::max(w, 1.0);
        h = std::max(h, 1.0);
    }
    const double bin_height = h / double(height), bin_width = w / double(width);
    const int64_t given = n.integer("sampling_ratio", 0);
    const auto samples = [&](double size) {
        return given > 0 ? given : std::max<int64_t>(int64_t(std::ceil(size)), 1);
    };
    return {top, left, bin_height, bin_width, samples(bin_height), samples(bin_width)};
}

Samples samples_of(const NodeCall& n, const Shape& x, int64_t height, int64_t width) {
    const std::vector<double> corners = n[1].array().to_vector<double>();
    const std::vector<int64_t> images = n.values(2);
    std::vector<Region> regions;
    Samples samples;
    for (size_t r = 0; r < images.size(); ++r) {
        if (images[r] < 0 || images[r] >= x[0])
            n.wrong(fmt::format("image {} of {}", images[r], x[0]));
        regions.push_back(region_of(n, corners.data() + 4 * r, height, width));
        samples.each = std::max(samples.each, regions.back().rows * regions.back().columns);
    }
    if (samples.each > 1 << 16) n.wrong(fmt::format("{} samples in a bin", samples.each));
    for (size_t r = 0; r < regions.size(); ++r) {
        const Region& region = regions[r];
        const int64_t own = region.rows * region.columns;
        for (int64_t bin = 0; bin < height * width; ++bin)
            for (int64_t k = 0; k < samples.each; ++k) {
                const int64_t i = std::min(k, own - 1);
                const double y =
                    region.top +
                    region.bin_height * (double(bin / width) +
                                         (double(i / region.columns) + 0.5) / double(region.rows));
                const double at =
                    region.left +
                    region.bin_width * (double(bin % width) + (double(i % region.columns) + 0.5) /
                                                                  double(region.columns));
                samples.add(images[r] * x[2] * x[3], neighbours_of(y, x[2]),
                            neighbours_of(at, x[3]), x[3], k < own);
            }
    }
    return samples;
}

/// Averages, or maxima, of samples in the bins of every region (He et al. 2017). The regions are
/// read on the host, the image is not.
Variables regions_aligned(const NodeCall& n) {
    const Shape& x = n[0].shape();
    const int64_t height = n.integer("output_height", 1), width = n.integer("output_width", 1);
    if (x.rank() != 4 || n[1].rank() != 2 || n[1].shape()[1] != 4 || n[2].size() != n[1].shape()[0])
        n.wrong("the image, its regions and their batch indices do not match");
    if (height < 1 || width < 1) n.wrong("bins of no size");
    const int64_t regions = n[1].shape()[0], channels = x[1];
    const Samples samples = samples_of(n, x, height, width);
    const Variable rows = reshape(transpose(n[0], {0, 2, 3, 1}), {x[0] * x[2] * x[3], channels});
    const int64_t count = int64_t(samples.counts.size());
    const bool largest = n.text("mode", "avg") == "max";
    Variable y;
    for (size_t k = 0; k < 4; ++k) {
        const Variable places(Array::from(samples.places[k], Shape{count}), false);
        const Variable weights(
            Array::from(samples.weights[k], Shape{count, 1}).astype(n[0].dtype()), false);
        const Variable part = take(rows, places, 0) * weights;
        y = !y.defined() ? part : largest ? maximum(y, part) : y + part;
    }
    std::vector<double> own(samples.counts.begin(), samples.counts.end());
    const Variable counts =
        reshape(Variable(Array::from(own, Shape{count}).astype(n[0].dtype()), false),
                {-1, samples.each, 1});
    y = reshape(y, {-1, samples.each, channels});
    y = largest ? max(where(counts > 0.0, y, -INFINITY), 1) : sum(y, 1) / sum(counts, 1);
    return {transpose(reshape(y, {regions, height, width, channels}), {0, 3, 1, 2})};
}

const int importers =
    add_importers({{"NonMaxSuppression", non_maxima_suppressed}, {"RoiAlign", regions_aligned}});

}  // namespace
}  // namespace catena::onnx
