#include "runtime/cpu/convolution/double_convolution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/core/parallel.h"
#include "runtime/cpu/product/double_product.h"

namespace catena {
namespace {

constexpr int64_t width = PackedMatrix<double>::panel_width;
constexpr int64_t elements_per_thread = 30'000;

/// A convolution of one group of channels, with three axes: those that are missing have one element.
struct Sizes {
    int64_t images, groups, channels, out;  ///< Channels of a group.
    int64_t x[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, y[3] = {1, 1, 1};
    int64_t stride[3] = {1, 1, 1}, pad[3] = {}, dilate[3] = {1, 1, 1};

    Sizes(const Shape& from, const Shape& W, const Shape& to, const WindowSteps& steps)
        : images(from[0]), groups(steps.groups), channels(W[1]), out(W[0] / steps.groups) {
        const int lead = 3 - (from.rank() - 2);
        for (int i = 0; i < from.rank() - 2; ++i) {
            x[lead + i] = from[i + 2], kernel[lead + i] = W[i + 2], y[lead + i] = to[i + 2];
            stride[lead + i] = steps.stride[i], pad[lead + i] = steps.pad[i], dilate[lead + i] = steps.dilate[i];
        }
    }
    int64_t pixels() const { return x[0] * x[1] * x[2]; }
    int64_t positions() const { return y[0] * y[1] * y[2]; }
    int64_t window() const { return kernel[0] * kernel[1] * kernel[2]; }
    int64_t taps() const { return channels * window(); }
    int64_t image_size() const { return channels * pixels(); }
    int64_t result_size() const { return out * positions(); }
    int64_t weights_size() const { return out * taps(); }
};

/// Calls line(pixel, position, count) for the lines of positions that see an image with a tap: pixels `stride[2]` apart from `pixel` on
/// belong to `count` positions from `position` on. What a tap sees beside the image is left out.
template <class F>
void for_each_line(const Sizes& s, int64_t tap, F&& line) {
    const int64_t k = tap % s.window(), at[3] = {k / (s.kernel[1] * s.kernel[2]), k / s.kernel[2] % s.kernel[1], k % s.kernel[2]};
    const auto pixel_of = [&](int axis, int64_t position) { return position * s.stride[axis] - s.pad[axis] + at[axis] * s.dilate[axis]; };
    // The first and the last position whose pixel of a line is inside.
    const int64_t left = pixel_of(2, 0), step = s.stride[2];
    const int64_t first = left >= 0 ? 0 : (-left + step - 1) / step;
    const int64_t last = left >= s.x[2] ? 0 : std::min(s.y[2], (s.x[2] - left + step - 1) / step);
    if (first >= last) return;
    for (int64_t i = 0; i < s.y[0]; ++i) {
        const int64_t plane = pixel_of(0, i);
        if (plane < 0 || plane >= s.x[0]) continue;
        for (int64_t j = 0; j < s.y[1]; ++j) {
            const int64_t row = pixel_of(1, j);
            if (row < 0 || row >= s.x[1]) continue;
            line(((tap / s.window() * s.x[0] + plane) * s.x[1] + row) * s.x[2] + pixel_of(2, first), (i * s.y[1] + j) * s.y[2] + first,
                 last - first);
        }
    }
}

/// What a tap sees of an image at all positions, zeros beside it.
void gather(const Sizes& s, int64_t tap, const double* image, std::vector<double>& row) {
    std::fill(row.begin(), row.end(), 0.0);
    for_each_line(s, tap, [&](int64_t pixel, int64_t position, int64_t count) {
        for (int64_t i = 0; i < count; ++i) row[size_t(position + i)] = image[pixel + i * s.stride[2]];
    });
}

/// Calls f(tap, what it sees) for all taps and, with nothing to see, for those that fill the last panel if `taps` is more.
template <class F>
void for_each_tap(const Sizes& s, int64_t taps, const double* image, F&& f) {
    parallel_for(taps, 1 + elements_per_thread / (s.positions() + 1), [&](int64_t begin, int64_t end) {
        std::vector<double> row(size_t(s.positions() + width));  // Some zeros behind the last position.
        for (int64_t tap = begin; tap < end; ++tap) {
            if (tap < s.taps()) gather(s, tap, image, row);
            else std::fill(row.begin(), row.end(), 0.0);
            f(tap, row.data());
        }
    });
}

/// What all positions see as a packed matrix [taps, positions].
void pack_seen(const Sizes& s, const double* image, double* packed) {
    for_each_tap(s, s.taps(), image, [&](int64_t tap, const double* row) {
        for (int64_t p = 0; p < s.positions(); p += width)
            std::copy_n(row + p, width, packed + p / width * DoubleProduct::packed_step(s.taps()) + tap * width);
    });
}

/// The same, transposed: [positions, taps].
void pack_seen_transposed(const Sizes& s, const double* image, double* packed) {
    for_each_tap(s, (s.taps() + width - 1) / width * width, image, [&](int64_t tap, const double* row) {
        double* const column = packed + tap / width * DoubleProduct::packed_step(s.positions()) + tap % width;
        for (int64_t p = 0; p < s.positions(); ++p) column[p * width] = row[p];
    });
}

/// Calls f(image, group, numbers of its own) for all images and groups; each may use all threads if there is one only.
template <class F>
void for_each_image(const Sizes& s, int64_t numbers, F&& f) {
    const int64_t work = s.result_size() * s.taps();
    parallel_for(s.images * s.groups, 1 + 200'000 / (work + 1), [&](int64_t begin, int64_t end) {
        std::vector<double> own(static_cast<size_t>(numbers));
        for (int64_t i = begin; i < end; ++i) f(i / s.groups, i % s.groups, own.data());
    });
}

/// Whether a tap sees what is beside an image. For a product that is 0, which makes NaN of a factor that is not finite; by the definition
/// it is not there.
bool sees_outside(const Sizes& s) {
    for (int axis = 0; axis < 3; ++axis)
        if (s.pad[axis] > 0 || (s.y[axis] - 1) * s.stride[axis] - s.pad[axis] + (s.kernel[axis] - 1) * s.dilate[axis] >= s.x[axis]) return true;
    return false;
}
bool needs_definition(const Sizes& s, const Array& factors) {
    const double* const first = factors.elements<double>();
    return sees_outside(s) && !std::all_of(first, first + factors.size(), [](double v) { return std::isfinite(v); });
}

/// Calls f(pixel, weight, result) for every multiplication of the convolution.
template <class F>
void for_each_multiplication(const Sizes& s, F&& f) {
    for (int64_t i = 0; i < s.images * s.groups; ++i)
        for (int64_t o = 0; o < s.out; ++o)
            for (int64_t tap = 0; tap < s.taps(); ++tap)
                for_each_line(s, tap, [&](int64_t pixel, int64_t position, int64_t count) {
                    const int64_t weight = (i % s.groups * s.out + o) * s.taps() + tap;
                    for (int64_t p = 0; p < count; ++p)
                        f(i * s.image_size() + pixel + p * s.stride[2], weight, (i * s.out + o) * s.positions() + position + p);
                });
}

}  // namespace

void convolve_doubles(const Array& x, const Array& W, const WindowSteps& steps, const Array& y, bool adds) {
    const Sizes s(x.shape(), W.shape(), y.shape(), steps);
    const double *images = x.elements<double>(), *weights = W.elements<double>();
    double* const results = y.to_fill<double>();
    if (needs_definition(s, W)) {
        if (!adds) std::fill_n(results, y.size(), 0.0);
        return for_each_multiplication(s, [&](int64_t pixel, int64_t weight, int64_t result) { results[result] += images[pixel] * weights[weight]; });
    }
    for_each_image(s, DoubleProduct::packed_size(s.taps(), s.positions()), [&](int64_t image, int64_t group, double* packed) {
        const int64_t i = image * s.groups + group;
        pack_seen(s, images + i * s.image_size(), packed);
        DoubleProduct{.m = s.out, .n = s.positions(), .k = s.taps(), .a = {weights + group * s.weights_size(), s.taps()}, .b = packed,
                      .c = {results + i * s.result_size(), s.positions()}, .adds = adds}
            .run();
    });
}

void convolve_data_doubles(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx) {
    const Sizes s(gx.shape(), W.shape(), gy.shape(), steps);
    const double *results = gy.elements<double>(), *weights = W.elements<double>();
    double* const images = gx.to_fill<double>();
    std::vector<double> transposed(static_cast<size_t>(s.groups * s.weights_size()));  // [groups, taps, out]
    for (int64_t g = 0; g < s.groups; ++g)
        for (int64_t o = 0; o < s.out; ++o)
            for (int64_t t = 0; t < s.taps(); ++t)
                transposed[size_t((g * s.taps() + t) * s.out + o)] = weights[(g * s.out + o) * s.taps() + t];
    const int64_t packed_size = DoubleProduct::packed_size(s.out, s.positions());
    for_each_image(s, packed_size + s.taps() * s.positions(), [&](int64_t image, int64_t group, double* packed) {
        const int64_t i = image * s.groups + group;
        double *const seen = packed + packed_size, *const to = images + i * s.image_size();
        PackedMatrix<double>::pack(results + i * s.result_size(), s.out, s.positions(), s.positions(), 1, packed, DoubleProduct::packed_step(s.out));
        DoubleProduct{.m = s.taps(), .n = s.positions(), .k = s.out, .a = {transposed.data() + group * s.weights_size(), s.out}, .b = packed,
                      .c = {seen, s.positions()}}
            .run();
        // A channel's taps add to its pixels, one after another.
        parallel_for(s.channels, 1 + elements_per_thread / (s.window() * s.positions() + 1), [&](int64_t begin, int64_t end) {
            std::fill(to + begin * s.pixels(), to + end * s.pixels(), 0.0);
            for (int64_t tap = begin * s.window(); tap < end * s.window(); ++tap)
                for_each_line(s, tap, [&](int64_t pixel, int64_t position, int64_t count) {
                    const double* const from = seen + tap * s.positions() + position;
                    for (int64_t p = 0; p < count; ++p) to[pixel + p * s.stride[2]] += from[p];
                });
        });
    });
}

void convolve_weights_doubles(const Array& x, const Array& gy, const WindowSteps& steps, const Array& gW) {
    const Sizes s(x.shape(), gW.shape(), gy.shape(), steps);
    const double *images = x.elements<double>(), *results = gy.elements<double>();
    double* const weights = gW.to_fill<double>();
    if (needs_definition(s, gy)) {
        std::fill_n(weights, gW.size(), 0.0);
        return for_each_multiplication(s, [&](int64_t pixel, int64_t weight, int64_t result) { weights[weight] += images[pixel] * results[result]; });
    }
    std::vector<double> packed(static_cast<size_t>(DoubleProduct::packed_size(s.positions(), s.taps())));
    for (int64_t i = 0; i < s.images * s.groups; ++i) {  // Images add to the weights, one after another.
        pack_seen_transposed(s, images + i * s.image_size(), packed.data());
        DoubleProduct{.m = s.out, .n = s.taps(), .k = s.positions(), .a = {results + i * s.result_size(), s.positions()}, .b = packed.data(),
                      .c = {weights + i % s.groups * s.weights_size(), s.taps()}, .adds = i >= s.groups}
            .run();
    }
}

}  // namespace catena
