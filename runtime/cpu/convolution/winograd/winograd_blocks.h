#pragma once

#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/convolution/winograd/winograd_statistics.h"

namespace catena::winograd {

// Convolutions whose transformed weights are large beside the tiles, as late in a network: 512 to
// 512 channels are 38 MB. They are transformed and used block by block of channels, in a core's
// cache, so that the memory never sees them.

/// The places in weights [O, C, 3, 3] of the elements for the products: in-channel k and
/// out-channel n of the convolution that is computed.
struct WeightSteps {
    int64_t k, n;
    bool turned;  ///< Whether the last tap counts as the first.
};

/// Prefetches the weights of `block` out-channels some in-channels after k, if these are
/// contiguous: the processor does not foresee these steps.
void prefetch_weights(const float* W, const WeightSteps& steps, int64_t k, int64_t in,
                      int64_t block);

/// The number of result channels of a block.
int64_t block_of(int64_t channels);
Tile moved(Tile tile, int64_t channels);

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
