#pragma once

#include "runtime/cpu/window_steps.h"
#include "runtime/ops/declare/channels_last.h"

namespace catena {

/// The memory order in which convolutions of images are fastest (measured). Channels-last is chosen
/// for float32 images whose channels are not in groups, or alone. With a kernel of one element they
/// are matrices then (runtime/cpu/convolution/pointwise_convolution.h). With a larger kernel the
/// cost of reordering images counts where little is computed with each element; with few positions
/// oneDNN's kernels for blocked images gain more than that, but less than packing their weights at
/// every call costs. Images of few channels, such as a network's input, are as fast in either
/// order; other operations on them, such as adding a number to each channel, are faster with rows
/// of pixels. bfloat16 images are channels-last where the processor multiplies them: they need no
/// reordering and are as fast as blocked ones.
ChannelsLastRule convolution_order(ConvolutionDirection direction, uint32_t inputs,
                                   uint32_t outputs);

}  // namespace catena
