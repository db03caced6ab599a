#include <algorithm>

#include "frontend/onnx/importers/shared.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/memory_allowance.h"

namespace catena::onnx {
namespace {

/// Resizing of one axis: which elements make an output element, and with which weights.
struct Resampling {
    int64_t size = 0, result = 0;
    double scale = 1;
    double begin = 0, end = 1;  ///< The part looked at, for tf_crop_and_resize.
    std::string place, kind, nearest;
    double cubic = -0.75;
    bool antialias = false, only_inside = false;

    /// Where result `i` lies in the source, in float32 and with the whole number of results, as
    /// ONNX Runtime and torch compute it: where scale * size is 10.5 there are 10 results, and the
    /// last of them lies on the corner.
    double source_of(int64_t i) const {
        const float x = float(i), factor = float(scale), length = float(size), last = length - 1;
        if (place == "align_corners") return result == 1 ? 0 : x * last / float(result - 1);
        if (place == "asymmetric") return x / factor;
        if (place == "tf_crop_and_resize") {
            const float span = float(end) - float(begin);
            return result == 1 ? (float(begin) + float(end)) * last / 2
                               : float(begin) * last + x * (span * last) / float(result - 1);
        }
        if (place == "tf_half_pixel_for_nn") return (x + 0.5f) / factor;
        if (place == "pytorch_half_pixel" && result == 1) return 0;
        if (place == "half_pixel_symmetric")
            return length / 2 * (1 - float(result) / (factor * length)) + (x + 0.5f) / factor -
                   0.5f;
        return (x + 0.5f) / factor - 0.5f;
    }
    bool outside(double x) const {
        return place == "tf_crop_and_resize" && (x < 0 || x > double(size - 1));
    }

    int64_t nearest_to(double x) const {
        const double below = std::floor(x), rest = x - below;
        if (nearest == "floor") return int64_t(below);
        if (nearest == "ceil") return int64_t(std::ceil(x));
        const bool up = nearest == "round_prefer_ceil" ? rest >= 0.5 : rest > 0.5;
        return int64_t(below) + up;
    }

    /// The weight of an element at distance d in elements: a tent, or Keys' cubic (1981).
    double kernel(double d) const {
        d = std::abs(d);
        if (kind != "cubic") return std::max(1 - d, 0.0);
        const double a = cubic;
        if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
        return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
    }

    /// A row of the matrix that resizes.
    void add_row(double x, double* row) const {
        const double shrink = antialias ? std::min(scale, 1.0) : 1.0,
                     reach = (kind == "cubic" ? 2 : 1) / shrink;
        double total = 0;
        for (int64_t k = int64_t(std::ceil(x - reach)); double(k) <= x + reach; ++k) {
            const bool inside = k >= 0 && k < size;
            if (only_inside && !inside) continue;
            const double weight = kernel((double(k) - x) * shrink);
            row[std::clamp<int64_t>(k, 0, size - 1)] += weight;
            total += weight;
        }
        for (int64_t k = 0; k < size && total != 0; ++k) row[k] /= total;
    }
};

Variable along_last(const Variable& x, int axis,
                    const std::function<Variable(const Variable&)>& f) {
    return moveaxis(f(moveaxis(x, axis, x.rank() - 1)), x.rank() - 1, axis);
}

Variable resample(const Variable& x, int axis, const Resampling& r, double beyond) {
    if (r.kind == "nearest") {
        std::vector<int64_t> places;
        check_allowance(size_t(product_of_sizes("Resize", {r.result, sizeof(int64_t)})));
        places.reserve(size_t(r.result));
        for (int64_t i = 0; i < r.result; ++i)
            places.push_back(std::clamp<int64_t>(r.nearest_to(r.source_of(i)), 0, r.size - 1));
        return take(x, Variable(Array::from(places, Shape{r.result}), false), axis);
    }
    check_allowance(size_t(product_of_sizes("Resize", {r.result, r.size, sizeof(double)})));
    std::vector<double> weights(size_t(r.result * r.size), 0), out(size_t(r.result), 0);
    for (int64_t i = 0; i < r.result; ++i) {
        const double source = r.source_of(i);
        if (r.outside(source))
            out[size_t(i)] = beyond;
        else
            r.add_row(source, weights.data() + i * r.size);
    }
    const Variable W(Array::from(weights, Shape{r.result, r.size}).astype(x.dtype()), false);
    const Variable b(Array::from(out, Shape{r.result}).astype(x.dtype()), false);
    return along_last(x, axis, [&](const Variable& v) {
        Shape shape = v.shape();
        shape[shape.rank() - 1] = r.result;
        return reshape(matmul(reshape(v, {-1, r.size}), W, false, true), shape) + b;
    });
}

struct Sizes {
    std::vector<int64_t> results;
    std::vector<double> scales;
};

/// The result's sizes from the inputs sizes or scales for `axes`; with a policy one scale serves
/// all axes.
Sizes sizes_of(const NodeCall& n, const Axes& axes, int scales_at, int sizes_at) {
    Sizes s;
    const Shape& shape = n[0].shape();
    const size_t count = size_t(axes.rank());
    const auto result_of = [&](int i, double scaled) {
        return n.whole(scaled, any_size, fmt::format("the size of axis {} of the result", axes[i]));
    };
    if (sizes_at >= 0 && n.has(sizes_at) && n[sizes_at].size() > 0) {
        s.results = n.values(sizes_at, {any_size, count});
        for (int i = 0; i < axes.rank(); ++i)
            s.scales.push_back(double(s.results[size_t(i)]) / double(shape[axes[i]]));
        const std::string policy =
            n.choice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
        if (policy == "stretch") return s;
        const auto [least, most] = std::minmax_element(s.scales.begin(), s.scales.end());
        const double scale = policy == "not_larger" ? *least : *most;
        for (int i = 0; i < axes.rank(); ++i) {
            s.scales[size_t(i)] = scale;
            s.results[size_t(i)] = result_of(i, scale * double(shape[axes[i]]) + 0.5);
        }
        return s;
    }
    s.scales = n.has(scales_at) ? n.numbers_at(scales_at, count) : n.numbers("scales");
    if (s.scales.size() != count)
        n.wrong(fmt::format("{} scales for {} axes", s.scales.size(), count));
    for (int i = 0; i < axes.rank(); ++i) {
        const double scale = s.scales[size_t(i)];
        if (!(scale > 0)) n.wrong(fmt::format("a scale of {}; expected is more than 0", scale));
        s.results.push_back(result_of(i, double(float(scale) * float(shape[axes[i]]))));
    }
    return s;
}

/// The part of the resampling that is the same for all axes.
Resampling common_of(const NodeCall& n, bool old) {
    Resampling r;
    r.place =
        old ? "asymmetric"
            : n.choice("coordinate_transformation_mode",
                       {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                        "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
    r.kind = n.choice("mode", {"nearest", "linear", "bilinear", "cubic"});
    r.nearest = old ? "floor"
                    : n.choice("nearest_mode",
                               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
    r.cubic = n.number("cubic_coeff_a", -0.75);
    r.antialias = n.flag("antialias");
    r.only_inside = n.flag("exclude_outside");
    return r;
}

/// Where the part begins in each axis, then where it ends; empty: all of x.
std::vector<double> part_of(const NodeCall& n, const Resampling& common, size_t axes) {
    if (common.place != "tf_crop_and_resize" || !n.has(1) || n[1].size() == 0) return {};
    const std::vector<double> part = n.numbers_at(1, 2 * axes);
    for (const double place : part) n.whole(place, size_or_less, "a place of roi");
    return part;
}

Variables resized(const NodeCall& n) {
    const Axes axes = axes_or_all(n, n.integers("axes", {}), n[0].rank());
    const bool old = n.opset() < 11;
    const Sizes s = sizes_of(n, axes, old ? 1 : 2, old ? -1 : 3);
    const Resampling common = common_of(n, old);
    const std::vector<double> part = part_of(n, common, size_t(axes.rank()));
    Variable y = is_float(n[0].dtype()) || common.kind == "nearest" ? n[0] : in_float64(n[0]);
    for (int i = 0; i < axes.rank(); ++i) {
        Resampling r = common;
        r.size = n[0].shape()[axes[i]];
        r.result = s.results[size_t(i)];
        r.scale = s.scales[size_t(i)];
        if (r.size == 0 && r.result == 0) continue;
        if (r.size == 0)
            n.wrong(fmt::format("{} elements of axis {} of x {}, which has none", r.result, axes[i],
                                to_string(n[0].shape())));
        if (!part.empty()) {
            r.begin = part[size_t(i)];
            r.end = part[size_t(i + axes.rank())];
        }
        const bool same =
            r.size == r.result && std::abs(r.scale - 1) < 1e-9 && r.begin == 0 && r.end == 1;
        if (!same) y = resample(y, int(axes[i]), r, n.number("extrapolation_value", 0));
    }
    return {cast(y, n[0].dtype())};
}

const int image_importers = add_importers({{"Resize", resized}, {"Upsample", resized}});

}  // namespace
}  // namespace catena::onnx
