#pragma once

#include <array>
#include <optional>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

/// One of the three convolutions of a block: of images [N, C, H, W], giving y.
struct BlockStep {
    Shape W;
    WindowSteps steps;
    Shape y;
};
constexpr int block_steps = 3;
using BlockSteps = std::array<BlockStep, block_steps>;

struct BlockOperands {
    Array x;
    std::array<Array, block_steps> W;
    std::array<ConvolutionTail, block_steps> tails;
};

/// Computes a block of three convolutions (any, depthwise 3x3, 1x1 in steps of one), each with its
/// epilogue and all in float32, some lines of the result at a time. The intermediate images,
/// several times as large as x and y in networks for small devices, then stay in a core's cache.
/// Only the last epilogue may add an image. Each thread has its share of lines; lines at the
/// borders of shares are computed twice. The bits are those of the three one after another by
/// convolve_directly() and convolve_depthwise()
/// (runtime/cpu/convolution/direct/direct_convolution.h).
///
/// Nothing where these would not compute them, or x or y has another memory order than they want.
/// Else the largest magnitude of y; not finite if that is true of an element. `scratch`:
/// block_scratch_bytes(), or less, and then it comes from the pool.
std::optional<float> convolve_block(const BlockOperands& operands, const BlockSteps& steps,
                                    const Array& y, std::span<std::byte> scratch);
size_t block_scratch_bytes(const Shape& x, const BlockSteps& steps);

/// The number of blocks that were computed so since the process began (for tests).
int64_t block_runs();

/// Whether the block is faster than three convolutions one after another, if x has its channels
/// last where it is no network input.
bool is_block(const Shape& x, const BlockSteps& steps);

}  // namespace catena
