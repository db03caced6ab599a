#pragma once

#include "runtime/cpu/onednn/packed.h"
#include "runtime/cpu/convolution/winograd/winograd_sizes.h"
#include "runtime/cpu/convolution/winograd/winograd_statistics.h"

namespace catena::winograd {

// Convolutions whose transformed weights are large beside the tiles, as late in a network: 512 to
// 512 channels are 38 MB. They are transformed and used block by block of channels, in a core's
// cache, so that the memory never sees them.

/// Where weights [O, C, 3, 3] have what the products need: in-channel k and out-channel n of the
/// convolution computed.
struct WeightSteps {
    int64_t k, n;
    bool turned;  ///< The last tap comes first.
};

/// Asks for the weights of `block` out-channels some in-channels after k, where these are side by
/// side: the processor does not see these steps coming.
void prefetch_weights(const float* W, const WeightSteps& steps, int64_t k, int64_t in,
                      int64_t block);

/// Result channels of a block.
int64_t block_of(int64_t channels);
Tile moved(Tile tile, int64_t channels);

/// All transformed weights, kept as long as W does not change: blocks [values, in, block],
/// floats_of(in, block) apart.
Array transformed_blocks(const Array& W, onednn::WeightForm form, const WeightSteps& steps,
                         int64_t in, int64_t out);

/// y = x * W + bias, channels last, of sizes that have_small_tiles(). True if all of y is finite.
/// With `statistics` those of y's channels.
bool convolve_in_blocks(const Sizes& sizes, const float* x, const Array& W, onednn::WeightForm form,
                        const WeightSteps& steps, const float* bias, float* y,
                        ColumnStatistics* statistics = nullptr);

/// The same for the gradient of the weights: of images `x` and of results `gy`, both channels last.
bool are_weights_for_blocks(const Sizes& sizes);
bool convolve_weights_in_blocks(const Sizes& sizes, const float* x, const float* gy, float* gW);

}  // namespace catena::winograd
