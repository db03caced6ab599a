#pragma once

#include <algorithm>

#include "runtime/core/array/array.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/product/tiles/tile.h"

#if defined(__x86_64__)

// What direct convolutions (runtime/cpu/convolution/direct/direct_convolution.h) are divided into.
namespace catena::direct {

constexpr int64_t lanes = tile_lanes;

inline int64_t in_vectors(int64_t channels) { return (channels + lanes - 1) / lanes; }

/// The most taps of a window for row-major images.
constexpr int64_t most_taps = 108;

/// A range of indices [begin, end).
struct Range {
    int64_t begin, end;
    bool operator==(const Range&) const = default;
    int64_t size() const { return end - begin; }
    /// Part `index` of `count` parts of the range; parts differ by one at most.
    Range part(int64_t index, int64_t count) const {
        return {begin + size() * index / count, begin + size() * (index + 1) / count};
    }
};

/// The windows along one axis.
struct Axis {
    int64_t size, kernel, stride, pad, count;

    /// The place in x where the window of position p begins.
    int64_t begin(int64_t p) const { return p * stride - pad; }
    /// The taps of position p's window that are in x.
    Range taps(int64_t p) const {
        return {std::max<int64_t>(0, -begin(p)),
                std::max<int64_t>(0, std::min(kernel, size - begin(p)))};
    }
    /// The positions whose windows are in x as a whole.
    Range whole() const {
        const int64_t room = size + pad - kernel,
                      first = std::min(count, (pad + stride - 1) / stride);
        return {first, std::clamp(room < 0 ? 0 : room / stride + 1, first, count)};
    }
};

/// Whether the tiles can compute such windows.
inline bool takes_steps(const Shape& x, const WindowSteps& steps) {
    return x.rank() == 4 && steps.groups == 1 && steps.dilate[0] == 1 && steps.dilate[1] == 1;
}

struct Sizes {
    int64_t images, in, out;
    Axis height, width;
    bool x_last;  ///< Whether x has its channels last.

    Sizes(const Array& x, const Array& W, const WindowSteps& s, const Array& y)
        : Sizes(x.shape(), W.shape(), s, y.shape(),
                memory_order(x.shape(), x.strides()) == MemoryOrder::channels_last) {}
    Sizes(const Shape& x, const Shape& W, const WindowSteps& s, const Shape& y, bool x_is_last)
        : images(x[0]),
          in(x[1]),
          out(y[1]),
          height{x[2], W[2], s.stride[0], s.pad[0], y[2]},
          width{x[3], W[3], s.stride[1], s.pad[1], y[3]},
          x_last(x_is_last) {
        // Where each position is a product with one position of x, all of them are a line.
        if (x_last && is_pointwise() && height.stride == 1 && width.stride == 1 &&
            height.count == height.size && width.count == width.size) {
            width.size = width.count = images * height.count * width.count;
            images = height.size = height.count = 1;
        }
    }
    bool is_pointwise() const {
        return height.kernel == 1 && width.kernel == 1 && height.pad == 0 && width.pad == 0;
    }
    int64_t taps() const { return in * height.kernel * width.kernel; }
    int64_t positions() const { return images * height.count * width.count; }
    /// Whether threads share the weights instead of the positions. Sharing positions lets them find
    /// in their caches what they wrote; sharing weights pays where these are much larger than x.
    bool shares_weights() const {
        constexpr int64_t much = 8;
        return out * taps() > much * in * images * height.size * width.size;
    }
    bool are_for_tiles() const {
        constexpr int64_t few = 4, least_out = 8;
        if (out < least_out) return false;
        return x_last ? height.kernel <= most_taps
                      : in <= few && width.kernel > 1 && taps() <= most_taps;
    }
};

/// Groups of vectors of output channels, in panels of up to tile_shape().vectors. Where threads
/// share the weights, both halves of them have the same number.
class Panels {
public:
    explicit Panels(const Sizes& s)
        : vectors_(in_vectors(s.out)),
          halves_(s.shares_weights() && vectors_ > tile_shape().vectors ? 2 : 1),
          in_half_(((vectors_ + halves_ - 1) / halves_ + tile_shape().vectors - 1) /
                   tile_shape().vectors) {}
    int64_t count() const { return halves_ * in_half_; }
    int64_t halves() const { return halves_; }
    Range vectors(int64_t panel) const {
        return Range{0, vectors_}.part(panel / in_half_, halves_).part(panel % in_half_, in_half_);
    }

private:
    int64_t vectors_, halves_, in_half_;
};

/// The weights panel by panel, taps in the order in which they are summed: [taps, channels of the
/// panel], zeros where there are no more channels. Kept with W (runtime/cpu/onednn/packed.h).
Array packed_weights(const Array& W, const Sizes& sizes);

}  // namespace catena::direct

#endif
