#pragma once

#include <cstdint>

namespace catena::lane_tiles {

// The inner loops of convolutions of sixteen images side by side
// (runtime/cpu/convolution/lanes/lane_images.h): sums that stay in registers. Steps are in floats.

/// The number of images side by side.
constexpr int64_t image_lanes = 16;

/// The operands of a correlation: y[o, p] = bias[o] + the sum over channels, rows and taps of W[c,
/// i, j, o] x[c, i, j + p].
struct Correlation {
    const float *x, *W, *bias;
    float* y;
    int64_t channels, rows, taps;
    int64_t x_channel, x_row, x_tap, x_position;
    int64_t W_channel, W_row, W_tap;
    int64_t y_channel, y_position;
};

/// The operands of a weights' gradient: sums[j, o] += the sum over rows and positions of gy[o, i,
/// p] x[i, p + j], in each lane.
struct Products {
    const float *x, *gy;
    float* sums;
    int64_t rows, positions;
    int64_t x_row, x_tap, x_position;
    int64_t gy_channel, gy_row, gy_position;
    /// Distance between taps in `sums`. The sums of channels follow each other, 16 lanes each.
    int64_t sums_tap;
};

}  // namespace catena::lane_tiles
