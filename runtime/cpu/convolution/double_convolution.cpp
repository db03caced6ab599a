#include "runtime/cpu/convolution/double_convolution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/double_product.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

constexpr int64_t width = PackedMatrix<double>::panel_width;

/// A convolution of one group of channels, with three axes: those that are missing have one
/// element.
struct Sizes {
    int64_t images, groups, channels, out;  ///< Channels of a group.
    int64_t x[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, y[3] = {1, 1, 1};
    int64_t stride[3] = {1, 1, 1}, pad[3] = {}, dilate[3] = {1, 1, 1};

    Sizes(const Shape& from, const Shape& W, const Shape& to, const WindowSteps& steps)
        : images(from[0]), groups(steps.groups), channels(W[1]), out(W[0] / steps.groups) {
        const int lead = 3 - (from.rank() - 2);
        for (int i = 0; i < from.rank() - 2; ++i) {
            x[lead + i] = from[i + 2], kernel[lead + i] = W[i + 2], y[lead + i] = to[i + 2];
            stride[lead + i] = steps.stride[i], pad[lead + i] = steps.pad[i],
                          dilate[lead + i] = steps.dilate[i];
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

/// Positions that are computed together: what they see fits in some megabytes, however large the
/// image is.
struct Chunk {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
};
template <class F>
void for_each_chunk(const Sizes& s, F&& f) {
    constexpr int64_t numbers = 1 << 18;
    const int64_t most = std::max(width, numbers / (s.taps() + s.out) / width * width);
    for (int64_t begin = 0; begin < s.positions(); begin += most)
        f(Chunk{begin, std::min(s.positions(), begin + most)});
}
/// The largest chunk.
int64_t chunk_size(const Sizes& s) {
    int64_t size = 0;
    for_each_chunk(s, [&](const Chunk& chunk) { size = std::max(size, chunk.size()); });
    return size;
}

/// Calls line(pixel, position, count) for the lines of a chunk that see an image with a tap: pixels
/// `stride[2]` apart from `pixel` on belong to `count` positions from `position` on. What a tap
/// sees beside the image is left out.
template <class F>
void for_each_line(const Sizes& s, int64_t tap, const Chunk& chunk, F&& line) {
    const int64_t k = tap % s.window(), at[3] = {k / (s.kernel[1] * s.kernel[2]),
                                                 k / s.kernel[2] % s.kernel[1], k % s.kernel[2]};
    const auto pixel_of = [&](int axis, int64_t position) {
        return position * s.stride[axis] - s.pad[axis] + at[axis] * s.dilate[axis];
    };
    // The first and the last position whose pixel of a line is inside.
    const int64_t left = pixel_of(2, 0), step = s.stride[2];
    const int64_t first = left >= 0 ? 0 : (-left + step - 1) / step;
    const int64_t last = left >= s.x[2] ? 0 : std::min(s.y[2], (s.x[2] - left + step - 1) / step);
    if (first >= last) return;
    for (int64_t l = chunk.begin / s.y[2]; l * s.y[2] < chunk.end; ++l) {
        const int64_t plane = pixel_of(0, l / s.y[1]), row = pixel_of(1, l % s.y[1]);
        if (plane < 0 || plane >= s.x[0] || row < 0 || row >= s.x[1]) continue;
        const int64_t begin = std::max(first, chunk.begin - l * s.y[2]),
                      end = std::min(last, chunk.end - l * s.y[2]);
        if (begin < end)
            line(((tap / s.window() * s.x[0] + plane) * s.x[1] + row) * s.x[2] + pixel_of(2, begin),
                 l * s.y[2] + begin, end - begin);
    }
}

/// What a tap sees of an image at the positions of a chunk, zeros beside it.
void gather(const Sizes& s, int64_t tap, const Chunk& chunk, const double* image,
            std::vector<double>& row) {
    std::fill(row.begin(), row.end(), 0.0);
    for_each_line(s, tap, chunk, [&](int64_t pixel, int64_t position, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
            row[size_t(position - chunk.begin + i)] = image[pixel + i * s.stride[2]];
    });
}

/// Calls f(tap, what it sees) for all taps and, with nothing to see, for those that fill the last
/// panel if `taps` is more.
template <class F>
void for_each_tap(const Sizes& s, int64_t taps, const Chunk& chunk, const double* image, F&& f) {
    parallel_for(taps, machine::grain_of_elements(chunk.size()), [&](int64_t begin, int64_t end) {
        std::vector<double> row(
            size_t(chunk.size() + width));  // Some zeros behind the last position.
        for (int64_t tap = begin; tap < end; ++tap) {
            if (tap < s.taps())
                gather(s, tap, chunk, image, row);
            else
                std::fill(row.begin(), row.end(), 0.0);
            f(tap, row.data());
        }
    });
}

/// What a chunk sees as a packed matrix [taps, positions].
void pack_seen(const Sizes& s, const Chunk& chunk, const double* image, double* packed) {
    for_each_tap(s, s.taps(), chunk, image, [&](int64_t tap, const double* row) {
        for (int64_t p = 0; p < chunk.size(); p += width)
            std::copy_n(row + p, width,
                        packed + p / width * DoubleProduct::packed_step(s.taps()) + tap * width);
    });
}

/// Packs what the windows see transposed: [positions, taps].
void pack_seen_transposed(const Sizes& s, const Chunk& chunk, const double* image, double* packed) {
    for_each_tap(s, (s.taps() + width - 1) / width * width, chunk, image,
                 [&](int64_t tap, const double* row) {
                     double* const column = packed +
                                            tap / width * DoubleProduct::packed_step(chunk.size()) +
                                            tap % width;
                     for (int64_t p = 0; p < chunk.size(); ++p) column[p * width] = row[p];
                 });
}

/// Calls f(image, group, numbers of its own) for all images and groups; each may use all threads if
/// there is one only.
template <class F>
void for_each_image(const Sizes& s, int64_t numbers, F&& f) {
    const int64_t work = s.result_size() * s.taps();
    parallel_for(s.images * s.groups, machine::grain_of_products(work),
                 [&](int64_t begin, int64_t end) {
                     std::vector<double> own(static_cast<size_t>(numbers));
                     for (int64_t i = begin; i < end; ++i)
                         f(i / s.groups, i % s.groups, own.data());
                 });
}

/// Whether a tap sees what is beside an image. For a product that is 0, which makes NaN of a factor
/// that is not finite; by the definition it is not there.
bool sees_outside(const Sizes& s) {
    for (int axis = 0; axis < 3; ++axis)
        if (s.pad[axis] > 0 || (s.y[axis] - 1) * s.stride[axis] - s.pad[axis] +
                                       (s.kernel[axis] - 1) * s.dilate[axis] >=
                                   s.x[axis])
            return true;
    return false;
}
bool needs_definition(const Sizes& s, const Array& factors) {
    const double* const first = factors.elements<double>();
    return sees_outside(s) &&
           !std::all_of(first, first + factors.size(), [](double v) { return std::isfinite(v); });
}

/// Calls f(pixel, weight, result) for every multiplication of the convolution.
template <class F>
void for_each_multiplication(const Sizes& s, F&& f) {
    for (int64_t i = 0; i < s.images * s.groups; ++i)
        for (int64_t o = 0; o < s.out; ++o)
            for (int64_t tap = 0; tap < s.taps(); ++tap)
                for_each_line(s, tap, {0, s.positions()},
                              [&](int64_t pixel, int64_t position, int64_t count) {
                                  const int64_t weight =
                                      (i % s.groups * s.out + o) * s.taps() + tap;
                                  for (int64_t p = 0; p < count; ++p)
                                      f(i * s.image_size() + pixel + p * s.stride[2], weight,
                                        (i * s.out + o) * s.positions() + position + p);
                              });
}

}  // namespace

void convolve_doubles(const Array& x, const Array& W, const WindowSteps& steps, const Array& y,
                      bool adds) {
    const Sizes s(x.shape(), W.shape(), y.shape(), steps);
    const double *images = x.elements<double>(), *weights = W.elements<double>();
    double* const results = y.to_fill<double>();
    if (needs_definition(s, W)) {
        if (!adds) std::fill_n(results, y.size(), 0.0);
        return for_each_multiplication(s, [&](int64_t pixel, int64_t weight, int64_t result) {
            results[result] += images[pixel] * weights[weight];
        });
    }
    for_each_image(s, DoubleProduct::packed_size(s.taps(), chunk_size(s)),
                   [&](int64_t image, int64_t group, double* packed) {
                       const int64_t i = image * s.groups + group;
                       for_each_chunk(s, [&](const Chunk& chunk) {
                           pack_seen(s, chunk, images + i * s.image_size(), packed);
                           DoubleProduct{
                               .m = s.out,
                               .n = chunk.size(),
                               .k = s.taps(),
                               .a = {weights + group * s.weights_size(), s.taps()},
                               .b = packed,
                               .c = {results + i * s.result_size() + chunk.begin, s.positions()},
                               .adds = adds}
                               .run();
                       });
                   });
}

void convolve_data_doubles(const Array& gy, const Array& W, const WindowSteps& steps,
                           const Array& gx) {
    const Sizes s(gx.shape(), W.shape(), gy.shape(), steps);
    const double *results = gy.elements<double>(), *weights = W.elements<double>();
    double* const images = gx.to_fill<double>();
    std::vector<double> transposed(
        static_cast<size_t>(s.groups * s.weights_size()));  // [groups, taps, out]
    for (int64_t g = 0; g < s.groups; ++g)
        for (int64_t o = 0; o < s.out; ++o)
            for (int64_t t = 0; t < s.taps(); ++t)
                transposed[size_t((g * s.taps() + t) * s.out + o)] =
                    weights[(g * s.out + o) * s.taps() + t];
    const int64_t most = chunk_size(s), packed_size = DoubleProduct::packed_size(s.out, most);
    std::fill_n(images, gx.size(), 0.0);
    for_each_image(
        s, packed_size + s.taps() * most, [&](int64_t image, int64_t group, double* packed) {
            const int64_t i = image * s.groups + group;
            double *const seen = packed + packed_size, *const to = images + i * s.image_size();
            for_each_chunk(s, [&](const Chunk& chunk) {
                PackedMatrix<double>::pack(results + i * s.result_size() + chunk.begin, s.out,
                                           chunk.size(), s.positions(), 1, packed,
                                           DoubleProduct::packed_step(s.out));
                DoubleProduct{.m = s.taps(),
                              .n = chunk.size(),
                              .k = s.out,
                              .a = {transposed.data() + group * s.weights_size(), s.out},
                              .b = packed,
                              .c = {seen, chunk.size()}}
                    .run();
                // A channel's taps add to its pixels, one after another.
                parallel_for(
                    s.channels, machine::grain_of_elements(s.window() * chunk.size()),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t tap = begin * s.window(); tap < end * s.window(); ++tap)
                            for_each_line(
                                s, tap, chunk, [&](int64_t pixel, int64_t position, int64_t count) {
                                    const double* const from =
                                        seen + tap * chunk.size() + position - chunk.begin;
                                    for (int64_t p = 0; p < count; ++p)
                                        to[pixel + p * s.stride[2]] += from[p];
                                });
                    });
            });
        });
}

void convolve_weights_doubles(const Array& x, const Array& gy, const WindowSteps& steps,
                              const Array& gW) {
    const Sizes s(x.shape(), gW.shape(), gy.shape(), steps);
    const double *images = x.elements<double>(), *results = gy.elements<double>();
    double* const weights = gW.to_fill<double>();
    if (needs_definition(s, gy)) {
        std::fill_n(weights, gW.size(), 0.0);
        return for_each_multiplication(s, [&](int64_t pixel, int64_t weight, int64_t result) {
            weights[weight] += images[pixel] * results[result];
        });
    }
    std::vector<double> packed(
        static_cast<size_t>(DoubleProduct::packed_size(chunk_size(s), s.taps())));
    for (int64_t i = 0; i < s.images * s.groups;
         ++i)  // Images, and chunks of them, add to the weights, one after another.
        for_each_chunk(s, [&](const Chunk& chunk) {
            pack_seen_transposed(s, chunk, images + i * s.image_size(), packed.data());
            DoubleProduct{.m = s.out,
                          .n = s.taps(),
                          .k = chunk.size(),
                          .a = {results + i * s.result_size() + chunk.begin, s.positions()},
                          .b = packed.data(),
                          .c = {weights + i % s.groups * s.weights_size(), s.taps()},
                          .adds = i >= s.groups || chunk.begin > 0}
                .run();
        });
}

}  // namespace catena
