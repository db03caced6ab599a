#pragma once

#include <array>
#include <optional>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

/// What a block has three of: a convolution of images [N, C, H, W] that gives y.
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

/// A convolution, a depthwise one of 3x3 windows and a 1x1 one in steps of one, each with its tail
/// and all in float32, some lines of the result at a time: what is between them, several times as
/// large as x and y in networks for small devices, stays in a core's cache. Only the last tail may
/// add an image. Each thread has its share of lines; lines at the borders of shares are computed
/// twice. The bits are those of the three one after another by convolve_directly() and
/// convolve_depthwise() (runtime/cpu/convolution/direct/direct_convolution.h).
///
/// Nothing where these would not compute them, or x or y has another memory order than they want.
/// Else the largest magnitude of y; not finite if that is true of an element. `scratch`:
/// block_scratch_bytes(), or less, and then it comes from the pool.
std::optional<float> convolve_block(const BlockOperands& operands, const BlockSteps& steps,
                                    const Array& y, std::span<std::byte> scratch);
size_t block_scratch_bytes(const Shape& x, const BlockSteps& steps);

/// How many were computed so since the process began (for tests).
int64_t block_runs();

/// Whether that is faster than one after another, if x has its channels last where it is no
/// picture.
bool is_block(const Shape& x, const BlockSteps& steps);

}  // namespace catena
