#pragma once

// The transforms of Winograd's minimal filtering (minimal_filter.h) for tiles of images, channel by
// channel. F(4x4, 3x3) takes 36 multiplications for the 4x4 results of a tile, the definition 144;
// F(4x4, 2x2) takes 25 instead of 64. A tile's transformed values lie in as many matrices,
// `value_step` apart: value p of channel c of tile t is at [p][t][c].

#include <cstdint>
#include <span>

#include "runtime/cpu/convolution/tail/convolution_tail.h"
#include "runtime/cpu/convolution/winograd/winograd_tile.h"

namespace catena::winograd {

/// One of the four windows of 2x2 in 4x4 weights, with every other row and column: the tap where it
/// begins, and whether it is turned around, from there to the first tap.
struct Window {
    int64_t first;
    bool turned = false;
};

/// A transform again and again: what it reads and what it writes lies so many floats further each
/// time.
struct Repeated {
    int64_t count = 1, from = 0, to = 0;
};

/// The transforms of F(m x m, r x r). `exchanged`: images take the part of windows and weights that
/// of inputs, so a tile has r x r positions, and the weights (m + r - 1) x (m + r - 1) taps.
template <int64_t m, int64_t r, bool exchanged = false>
struct TileTransforms {
    /// The side of a tile's results, of the positions that they are made from, and of its values.
    static constexpr int64_t out_side = m, side = m + r - 1, in_side = exchanged ? r : side,
                             values = side * side;
    /// Floats of matrices with so many rows and columns.
    static constexpr int64_t floats_of(int64_t rows, int64_t columns) {
        return values * step_of(rows, columns);
    }
    /// How many taps a pair of channels has: those of 3x3 weights, or of 4x4 ones, in which lie
    /// four windows of 2x2.
    static constexpr int64_t taps = r == 2 && !exchanged ? 16 : 9;

    /// Transforms the inputs of a tile into values for each of `channels`. Elements outside of the
    /// image count as 0.
    static void input(const Tile& tile, const float* x, int64_t channels, int64_t value_step,
                      float* values);
    /// Transforms values into the tile's results plus `bias` (or null). True if all of them are
    /// finite.
    static bool output(const Tile& tile, const float* values, int64_t value_step, int64_t channels,
                       const float* bias, float* y);
    /// Transforms values into results with an epilogue in the place of the bias. `largest` becomes
    /// the largest magnitude of these results and of its old value, as bits.
    static bool output(const Tile& tile, const float* values, int64_t value_step, int64_t channels,
                       const ConvolutionTail& tail, float* y, int32_t& largest)
        requires(r == 3);
    /// The transpose of output(): gradients of results become gradients of values.
    static void output_gradient(const Tile& tile, const float* gy, int64_t channels,
                                int64_t value_step, float* values);

    /// Transforms 3x3 weights of `lanes` pairs of channels, which lie `lane_step` apart. `turned`:
    /// the last tap counts as the first.
    static void weights(const float* w, int64_t lane_step, bool turned, int64_t value_step,
                        float* values, const Repeated& times = {})
        requires(r == 3 || exchanged);
    /// The transpose of weights(), not turned: gradients of values become gradients of taps. True
    /// if all of them are finite.
    static bool weights_gradient(const float* values, int64_t value_step, int64_t lane_step,
                                 float* gw, const Repeated& times = {})
        requires(r == 3 || exchanged);
    // The same for windows in 4x4 weights, whose values lie `window_step` apart; all
    // of them are turned or none; those of weights_gradient() have all taps, and none is turned.
    static void weights(const float* w, int64_t lane_step, std::span<const Window> windows,
                        int64_t window_step, int64_t value_step, float* values,
                        const Repeated& times = {})
        requires(r == 2 && !exchanged);
    static bool weights_gradient(const float* values, std::span<const Window> windows,
                                 int64_t window_step, int64_t value_step, int64_t lane_step,
                                 float* gw, const Repeated& times = {})
        requires(r == 2 && !exchanged);
};

}  // namespace catena::winograd
