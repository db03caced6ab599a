#pragma once

#include <optional>

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"
#include "runtime/cpu/convolution/way/way.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

/// Computes a float32 convolution of images [N, C, H, W] and its epilogue in Catena's own tiles:
/// sums stay in registers until the epilogue is done, so that an added image needs no pass of its
/// own, and NaN stays NaN by an ordered comparison. y has its channels last; x has them last or is
/// row-major with few channels, as a network's input is. Weights are cached with 16 output channels
/// side by side (runtime/cpu/onednn/packed.h). The epilogue's pointers are not null except for
/// `other`.
///
/// A sum runs over the taps of a window in one order, which depends on x's memory order alone, so
/// no bit depends on the number of threads.
///
/// Nothing for windows with groups or gaps, fewer than 8 output channels, pictures with windows of
/// more than 108 taps, without AVX2 and AVX-512, or if CATENA_DIRECT_CONVOLUTIONS=0. Else the
/// largest magnitude of y; not finite if that is true of an element.
std::optional<float> convolve_directly(const Array& x, const Array& W, const ConvolutionTail& tail,
                                       const WindowSteps& steps, const Array& y);

/// Whether that was found to be faster than oneDNN followed by a pass for the epilogue
/// (docs/performance_changes.md): with AVX-512 for network inputs and 1x1 windows. With AVX2 oneDNN
/// has fewer instructions for each multiplication of a 1x1 window, which counts where two threads
/// share a core, so it computes those that add no image; larger windows are computed in tiles.
bool is_direct_fastest(const Array& x, const Array& W, const ConvolutionTail& tail);

/// Computes a depthwise convolution with 3x3 windows in steps of one or two and its epilogue, as
/// convolve_directly(), W being [C, 1, 3, 3]; x and y have their channels last.
std::optional<float> convolve_depthwise(const Array& x, const Array& W, const ConvolutionTail& tail,
                                        const WindowSteps& steps, const Array& y);

/// convolve_directly() where is_direct_fastest(), and convolve_depthwise(), for convolutions with
/// tails.
const ConvolutionWay& direct_way();
const ConvolutionWay& depthwise_way();

/// Whether this processor and CATENA_DIRECT_CONVOLUTIONS allow both functions.
bool are_direct_convolutions_on();

}  // namespace catena
