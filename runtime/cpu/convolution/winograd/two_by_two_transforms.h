#pragma once

// 3x3 convolutions of 2x2 images padded by one, as at the end of a network. Each result sees the
// whole image: along an axis y0 = w1 x0 + w2 x1 and y1 = w0 x0 + w1 x1, a Toeplitz matrix, which
// takes three multiplications instead of four (S. Winograd, Arithmetic Complexity of Computations,
// 1980; F(2, 2) with weights and images in exchanged roles): m0 = (w2 - w1) x1, m1 = w1 (x0 + x1),
// m2 = (w1 - w0) x0, y0 = m0 + m1, y1 = m1 - m2. So an image takes 9 multiplications a pair of
// channels; the definition has 16, and 20 more with padding.
//
// Images are [2, 2, channels]; value p of a channel is `value_step` * p away.

#include <cstdint>

#include "runtime/cpu/convolution/winograd/winograd_transforms.h"

namespace catena::two_by_two {

using winograd::lanes;

constexpr int64_t values = 9, positions = 4;

/// Transforms `count` of an image's channels, whose positions lie `channels` apart.
void transform_image(const float* x, int64_t channels, int64_t count, int64_t value_step,
                     float* values);
/// Transforms values into results; true if all are finite. `bias` may be null.
bool transform_result(const float* values, int64_t value_step, int64_t count, const float* bias,
                      int64_t channels, float* y);
/// The transpose of transform_result() without a bias.
void transform_result_gradient(const float* gy, int64_t channels, int64_t count, int64_t value_step,
                               float* values);

/// Transforms the weights of `lanes` pairs of channels, whose nine taps lie `lane_step` apart.
/// `turned`: the last tap counts as the first.
void transform_weights(const float* w, int64_t lane_step, bool turned, int64_t value_step,
                       float* values);
/// The transpose of transform_weights(), not turned. True if all results are finite.
bool transform_weights_gradient(const float* values, int64_t value_step, int64_t lane_step,
                                float* gw);

}  // namespace catena::two_by_two
