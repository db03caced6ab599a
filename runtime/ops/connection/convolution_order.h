#pragma once

#include "runtime/cpu/window_steps.h"
#include "runtime/ops/declare/channels_last.h"

namespace catena {

/// float32 images whose channels are not in groups, or alone. With a kernel of one element they are
/// matrices (runtime/cpu/convolution/pointwise_convolution.h). Else reordering them counts where
/// little is computed with each element; with few positions oneDNN's kernels for blocked images are
/// faster by more than that, but not than what packing their weights costs at every call
/// (measured). Pictures, images of few channels, are as fast in either order, and what else is done
/// with them, such as adding a number to each channel, rather has rows of pixels. bfloat16 images
/// where the processor multiplies them: in this order they need no reordering and are as fast as
/// blocked (measured).
ChannelsLastRule convolution_order(ConvolutionDirection direction, uint32_t inputs,
                                   uint32_t outputs);

}  // namespace catena
