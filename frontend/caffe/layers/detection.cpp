// Layers of detectors and of gated networks that Caffe's own release lacks: Permute, PriorBox and
// Normalize of SSD (Liu et al. 2016), Axpy of SENet (Hu et al. 2018).
#include <algorithm>
#include <cmath>

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::caffe {
namespace {

/// Axes that are not named keep their order behind those that are.
LayerFunction read_permute(const LayerInFile& layer) {
    std::vector<int64_t> order;
    for (const uint32_t axis : layer->permute_param().order()) {
        if (axis >= uint32_t(max_rank) || std::ranges::find(order, int64_t(axis)) != order.end())
            layer.wrong(
                fmt::format("has axis {} in its order; each axis may be named once, and "
                            "there are at most {}",
                            axis, max_rank));
        order.push_back(axis);
    }
    return of_one([order](const Variable& x) {
        Axes axes(order);
        for (int64_t i = 0; i < x.rank() && axes.rank() < x.rank(); ++i)
            if (!axes.contains(i)) axes.push_back(i);
        return transpose(x, axes);
    });
}

struct PriorBoxes {
    std::vector<double> least, most, ratios, variances;
    bool clip = false;
    double offset = 0.5;
    double image_height = 0, image_width = 0;  ///< The image's size; 0: that of the second bottom.
    /// The distance of boxes; 0: the image's size divided by the map's.
    double step_height = 0, step_width = 0;

    /// Width and height of all boxes of a place, in pixels.
    std::vector<std::pair<double, double>> sizes() const {
        std::vector<std::pair<double, double>> all;
        for (size_t i = 0; i < least.size(); ++i) {
            all.emplace_back(least[i], least[i]);
            if (!most.empty()) {
                const double mean = std::sqrt(least[i] * most[i]);
                all.emplace_back(mean, mean);
            }
            for (const double ratio : ratios)
                all.emplace_back(least[i] * std::sqrt(ratio), least[i] / std::sqrt(ratio));
        }
        return all;
    }
};

/// [1, 2, rows * columns * boxes * 4]: left, top, right and bottom of each, in parts of the image;
/// then the variances.
Variable boxes_over(const PriorBoxes& p, const Shape& map, const Shape& image) {
    const double height = p.image_height > 0 ? p.image_height : double(image[2]),
                 width = p.image_width > 0 ? p.image_width : double(image[3]);
    const double down = p.step_height > 0 ? p.step_height : height / double(map[2]),
                 right = p.step_width > 0 ? p.step_width : width / double(map[3]);
    std::vector<float> numbers;
    const auto add = [&](double place) {
        numbers.push_back(float(p.clip ? std::clamp(place, 0.0, 1.0) : place));
    };
    const auto sizes = p.sizes();
    for (int64_t i = 0; i < map[2]; ++i)
        for (int64_t j = 0; j < map[3]; ++j)
            for (const auto& [w, h] : sizes) {
                const double x = (double(j) + p.offset) * right, y = (double(i) + p.offset) * down;
                add((x - w / 2) / width);
                add((y - h / 2) / height);
                add((x + w / 2) / width);
                add((y + h / 2) / height);
            }
    const size_t count = numbers.size();
    for (size_t k = 0; k < count; ++k)
        numbers.push_back(float(p.variances[k % p.variances.size()]));
    return Variable(Array::from(numbers, Shape{1, 2, int64_t(count)}), false);
}

/// Each ratio once, 1 aside, and with `flip` its reciprocal.
std::vector<double> ratios_of(const format::PriorBoxParameter& p) {
    std::vector<double> all;
    const auto add = [&](double ratio) {
        const auto is_near = [&](double known) { return std::abs(known - ratio) < 1e-6; };
        if (!is_near(1) && std::ranges::none_of(all, is_near)) all.push_back(ratio);
    };
    for (const float ratio : p.aspect_ratio()) {
        add(ratio);
        if (p.flip()) add(1 / double(ratio));
    }
    return all;
}

/// A number for both directions, or one for each; 0 without any.
std::pair<double, double> height_and_width(double both, double height, double width) {
    return both > 0 ? std::pair(both, both) : std::pair(height, width);
}

LayerFunction read_prior_box(const LayerInFile& layer) {
    layer.check_bottoms(2, 2);
    const auto& p = layer->prior_box_param();
    PriorBoxes boxes{.least = {p.min_size().begin(), p.min_size().end()},
                     .most = {p.max_size().begin(), p.max_size().end()},
                     .ratios = ratios_of(p),
                     .variances = {p.variance().begin(), p.variance().end()},
                     .clip = p.clip(),
                     .offset = p.offset()};
    std::tie(boxes.image_height, boxes.image_width) =
        height_and_width(p.img_size(), p.img_h(), p.img_w());
    std::tie(boxes.step_height, boxes.step_width) =
        height_and_width(p.step(), p.step_h(), p.step_w());
    if (boxes.variances.empty()) boxes.variances = {0.1};
    const auto is_positive = [](double size) { return size > 0 && std::isfinite(size); };
    for (const auto* list : {&boxes.least, &boxes.most, &boxes.ratios, &boxes.variances})
        if (!std::ranges::all_of(*list, is_positive))
            layer.wrong("has a size, ratio or variance that is not positive");
    if (boxes.least.empty() || (!boxes.most.empty() && boxes.most.size() != boxes.least.size()))
        layer.wrong(
            fmt::format("has {} least and {} largest sizes; there is at least one of the "
                        "first, and none or as many of the second",
                        boxes.least.size(), boxes.most.size()));
    if (boxes.variances.size() != 1 && boxes.variances.size() != 4)
        layer.wrong(fmt::format("has {} variances; there are 1 or 4", boxes.variances.size()));
    return {[boxes](std::span<const Variable> x, Link*) {
        if (x[0].rank() != 4 || x[1].rank() != 4 || x[0].size() == 0 || x[1].size() == 0)
            fail<ShapeError>("caffe: PriorBox of a map {} and an image {}; both have 4 axes",
                             to_string(x[0].shape()), to_string(x[1].shape()));
        return Variables{boxes_over(boxes, x[0].shape(), x[1].shape())};
    }};
}

/// A link that holds the factors of the channels, or a single one.
struct NormalizeLink : Link {
    Parameter scale;
    explicit NormalizeLink(const Array& factors) : scale(factors) { add_param("scale", scale); }
};

/// x over its length, that of each image or of each of its places, times learned factors.
LayerFunction read_normalize(const LayerInFile& layer) {
    const auto& p = layer->norm_param();
    const bool shared = p.channel_shared(), whole = p.across_spatial();
    const double eps = p.eps();
    const int64_t count = shared ? 1 : layer.blob(0).size();
    const Array factors = layer.blob(0, Shape{count}, shared ? "a shared factor" : "factors");
    return {
        [=](std::span<const Variable> xs, Link* own) {
            const Variable& x = xs[0];
            if (x.rank() < 2 || (!shared && x.shape()[1] != count))
                fail<ShapeError>(
                    "caffe: Normalize: {} factors for x {}; it takes one for each channel (axis 1)",
                    count, to_string(x.shape()));
            Axes axes{1};
            for (int i = 2; whole && i < x.rank(); ++i) axes.push_back(i);
            Shape channels = Shape::filled(x.rank(), 1);
            channels[1] = count;
            const Variable length = sqrt(sum(x * x, axes, true) + eps);
            return Variables{x / length *
                             reshape(static_cast<NormalizeLink&>(*own).scale, channels)};
        },
        OwnedLink(NormalizeLink(factors))};
}

/// a x + y, where a has a number for each channel.
LayerFunction read_axpy(const LayerInFile& layer) {
    layer.check_bottoms(3, 3);
    return {[](std::span<const Variable> in, Link*) {
        const Variable& x = in[1];
        Shape channels = Shape::filled(x.rank(), 1);
        for (int i = 0; i < std::min(x.rank(), 2); ++i) channels[i] = x.shape()[i];
        if (x.rank() < 2 || in[0].size() != element_count(channels))
            fail<ShapeError>(
                "caffe: Axpy: factors {} for x {}; it takes one for each image and channel",
                to_string(in[0].shape()), to_string(x.shape()));
        return Variables{reshape(in[0], channels) * x + in[2]};
    }};
}

const int detection_added = add_layer_readers({
    {"Permute", read_permute},
    {"PriorBox", read_prior_box, 2},
    {"Normalize", read_normalize},
    {"Axpy", read_axpy, 3},
});

}  // namespace
}  // namespace catena::caffe
