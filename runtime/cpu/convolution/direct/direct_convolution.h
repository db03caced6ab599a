#pragma once

#include <optional>

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/tail/convolution_tail.h"

namespace catena {

/// A float32 convolution of images [N, C, H, W] and its tail in tiles of our own: sums stay in
/// registers until the tail is done, so that an added image needs no sweep, and NaN stays NaN by an
/// ordered comparison. y has its channels last; x has them last or is row-major with few channels,
/// as a picture is. Weights are kept with 16 output channels side by side
/// (runtime/cpu/onednn/packed.h). The tail's pointers are not null but for `other`.
///
/// A sum runs over the taps of a window in one order, which depends on x's memory order alone, so
/// no bit depends on the number of threads.
///
/// Nothing for windows with groups or gaps, fewer than 8 output channels, pictures with windows of
/// more than 108 taps, without AVX2 and AVX-512, or if CATENA_DIRECT_CONVOLUTIONS=0. Else the
/// largest magnitude of y; not finite if that is true of an element.
std::optional<float> convolve_directly(const Array& x, const Array& W, const ConvolutionTail& tail,
                                       const WindowSteps& steps, const Array& y);

/// Whether that was found to be faster than oneDNN and a sweep (docs/performance_changes.md): with
/// AVX-512 for pictures and 1x1 windows. With AVX2 oneDNN has fewer instructions for each
/// multiplication of a 1x1 window, which counts where two threads share a core, and is left what
/// adds no image; larger windows are for tiles.
bool is_direct_fastest(const Array& x, const Array& W, const ConvolutionTail& tail);

/// The same for depthwise 3x3 windows in steps of one or two, W being [C, 1, 3, 3]; x and y have
/// their channels last.
std::optional<float> convolve_depthwise(const Array& x, const Array& W, const ConvolutionTail& tail,
                                        const WindowSteps& steps, const Array& y);

/// Whether this processor and CATENA_DIRECT_CONVOLUTIONS allow both.
bool are_direct_convolutions_on();

}  // namespace catena
