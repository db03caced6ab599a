#pragma once

#include <algorithm>

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/direct/depthwise_tiles.h"
#include "runtime/cpu/window_steps.h"

#if defined(__x86_64__)

namespace catena::depthwise {

constexpr int64_t lanes = tile_lanes, side = depthwise_side, taps = side * side;

/// Whether the depthwise tiles can compute such windows.
inline bool takes_steps(const Shape& x, const Shape& W, const WindowSteps& steps) {
    if (x.rank() != 4 || W[1] != 1 || W[2] != side || W[3] != side || steps.groups != x[1] ||
        W[0] != x[1])
        return false;
    return steps.stride[0] == steps.stride[1] && steps.stride[0] <= 2 && steps.dilate[0] == 1 &&
           steps.dilate[1] == 1;
}

struct Sizes {
    int64_t images, channels, height, width, lines, columns, steps, pad_top, pad_left;

    Sizes(const Shape& x, const WindowSteps& s, const Shape& y)
        : images(x[0]),
          channels(x[1]),
          height(x[2]),
          width(x[3]),
          lines(y[2]),
          columns(y[3]),
          steps(s.stride[0]),
          pad_top(s.pad[0]),
          pad_left(s.pad[1]) {}
    int64_t vectors() const { return (channels + lanes - 1) / lanes; }
    int64_t line() const { return columns * channels; }
    /// The lines of x that the windows of lines [begin, end) read: from first_read() to before
    /// last_read().
    int64_t first_read(int64_t begin) const {
        return std::clamp<int64_t>(begin * steps - pad_top, 0, height);
    }
    int64_t last_read(int64_t end) const {
        return std::clamp<int64_t>((end - 1) * steps - pad_top + side, 0, height);
    }
};

/// The weights as [taps, channels], cached with W (runtime/cpu/onednn/packed.h).
Array packed_weights(const Array& W, int64_t channels);

/// A depthwise convolution of 3x3 windows (runtime/cpu/convolution/direct/direct_convolution.h)
/// that is computed part by part, each on the calling thread.
class DepthwiseLines {
public:
    /// Prepares it; `W` is packed_weights(). All arguments must outlive this.
    DepthwiseLines(const Sizes& sizes, const float* W, const ConvolutionTail& tail)
        : s_(sizes), W_(W), tail_(tail, s_.channels) {}

    /// The memory of one image. Line i of x is stored at line i % x_lines, because only x_lines
    /// lines are in memory.
    struct Place {
        const float* x;
        int64_t x_lines;
        float* y;
        const float* other;  ///< The image that is added, or null.
        int64_t first = 0;   ///< The line with which `y` and `other` begin.
    };
    /// Computes lines of the result and vectors of channels. `largest` may be null.
    void compute(const Place& place, int64_t line, int64_t last_line, int64_t first_vector,
                 int64_t last_vector, LargestLanes* largest) const;

private:
    struct Vectors {
        int64_t begin, end;
    };
    void compute_block(const Place& place, int64_t line, int64_t lines, int64_t column,
                       size_t which, Vectors vectors, LargestLanes* largest) const;

    const Sizes& s_;
    const float* const W_;
    const TailNumbers tail_;
};

}  // namespace catena::depthwise

#endif
