#pragma once

// The transforms of Winograd's minimal filtering F(4x4, 2x2), as those of F(4x4, 3x3) beside it
// (winograd_transforms.h): 4x4 results of a 2x2 window take 25 multiplications a pair of channels
// instead of 64. The points are +-1/2, +-5/4 and infinity, which of the usual choices give nearly
// the smallest error, and exact numbers in all but the weights' transform.
//
// They are for convolutions with 4x4 weights in steps of two, whose images have four *phases*: the
// positions of even and odd rows and columns. Each phase meets 2x2 of the taps, in steps of one.
// Phase 2 p + q is that of rows p and columns q.

#include <cstdint>

#include "runtime/cpu/convolution/winograd/winograd_transforms.h"

namespace catena::polyphase {

using winograd::lanes;
using winograd::Tile;

constexpr int64_t out_side = 4, in_side = 5, values = in_side * in_side, phases = 4, taps = 16;

/// Transforms 5x5 inputs of a phase into 25 values for each of `channels`, `value_step` apart: B^T
/// d B. Elements outside of the image count as 0.
void transform_input(const Tile& tile, const float* x, int64_t channels, int64_t value_step,
                     float* values);

/// Transforms 25 values into 4x4 results A^T m A plus `bias` (or null). True if all of them are
/// finite.
bool transform_output(const Tile& tile, const float* values, int64_t value_step, int64_t channels,
                      const float* bias, float* y);

/// The transpose of transform_output(): gradients of 4x4 results become gradients of 25 values, A g
/// A^T.
void transform_output_gradient(const Tile& tile, const float* gy, int64_t channels,
                               int64_t value_step, float* values);

/// Transforms 4x4 weights of `lanes` pairs of channels, `lane_step` apart, into 25 values of each
/// phase, `phase_step` apart: G w G^T.
void transform_weights(const float* w, int64_t lane_step, int64_t phase_step, int64_t value_step,
                       float* values);
/// Transforms the weights of one phase with their taps in reverse order, as the gradient towards
/// the images needs them.
void transform_turned_weights(const float* w, int64_t lane_step, int64_t phase, int64_t value_step,
                              float* values);

/// The transpose of transform_weights(): gradients of values become gradients of weights, G^T g G.
/// True if all of them are finite.
bool transform_weights_gradient(const float* values, int64_t phase_step, int64_t value_step,
                                int64_t lane_step, float* gw);

}  // namespace catena::polyphase
