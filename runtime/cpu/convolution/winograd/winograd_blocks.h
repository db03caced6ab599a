#pragma once

#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/convolution/winograd/channel_blocks.h"
#include "runtime/cpu/convolution/winograd/winograd_statistics.h"

namespace catena::winograd {

// Convolutions whose transformed weights are large beside the tiles, as late in a network: 512 to
// 512 channels are 38 MB. They are transformed and used block by block of channels, in a core's
// cache, so that the memory never sees them.

/// All transformed weights, cached as long as W does not change: blocks [values, in, block],
/// floats_of(in, block) apart.
Array transformed_blocks(const Array& W, onednn::WeightForm form, const WeightSteps& steps,
                         int64_t in, int64_t out);

/// Computes y = x * W + bias, channels last, for sizes that have_small_tiles(). True if all of y is
/// finite. With `statistics` those of y's channels are gathered.
bool convolve_in_blocks(const Sizes& sizes, const float* x, const Array& W, onednn::WeightForm form,
                        const WeightSteps& steps, const float* bias, float* y,
                        ColumnStatistics* statistics = nullptr);

/// Whether the gradient towards the weights is computed block by block, too: from images `x` and
/// gradients `gy`, both channels last.
bool are_weights_for_blocks(const Sizes& sizes);
bool convolve_weights_in_blocks(const Sizes& sizes, const float* x, const float* gy, float* gW);

}  // namespace catena::winograd
