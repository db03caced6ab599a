#pragma once

// The transforms of Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015): 4x4 results of a 3x3 window take 36 multiplications a pair
// of channels instead of 144. Of the usual choices of points, 0, +-5/8, +-3/2 and infinity give the
// smallest error (0, +-1, +-2: twice that); their first two powers are exact.
//
// A *tile* is a block of 4x4 results and of the 6x6 inputs that they are made from. Its 36
// transformed values lie 36 matrices apart: value p of channel c of tile t is at [p][t][c].

#include <cstdint>

#include "runtime/cpu/convolution/tail/convolution_tail.h"
#include "runtime/cpu/convolution/winograd/winograd_tile.h"

namespace catena::winograd {

/// Transforms 6x6 inputs into 36 values for each of `channels`: B^T d B. Elements outside of the
/// image count as 0.
void transform_input(const Tile& tile, const float* x, int64_t channels, int64_t value_step,
                     float* values);

/// Transforms 36 values into 4x4 results A^T m A plus `bias` (or null). True if all of them are
/// finite.
bool transform_output(const Tile& tile, const float* values, int64_t value_step, int64_t channels,
                      const float* bias, float* y);

/// Transforms 36 values into 4x4 results with an epilogue in the place of the bias. `largest`
/// becomes the largest magnitude of these results and of its old value, as bits.
bool transform_output(const Tile& tile, const float* values, int64_t value_step, int64_t channels,
                      const ConvolutionTail& tail, float* y, int32_t& largest);

/// The transpose of transform_output(): gradients of 4x4 results become gradients of 36 values, A g
/// A^T.
void transform_output_gradient(const Tile& tile, const float* gy, int64_t channels,
                               int64_t value_step, float* values);

/// Transforms weights, G w G^T, for in-channel `k` and `lanes` out-channels, whose nine taps lie
/// `lane_step` apart. `turned`: the last tap counts as the first.
void transform_weights(const float* w, int64_t lane_step, bool turned, int64_t value_step,
                       float* values);

/// The transpose of transform_weights(), not turned: gradients of 36 values become gradients of 9
/// taps, G^T g G. True if all of them are finite.
bool transform_weights_gradient(const float* values, int64_t value_step, int64_t lane_step,
                                float* gw);

}  // namespace catena::winograd
