#pragma once

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// Convolutions with 4x4 weights in steps of two, as generators and discriminators have them, and
/// their gradients: of the four phases of the images, each with 2x2 of the taps, added up; these by
/// Winograd's minimal filtering (runtime/cpu/convolution/winograd/minimal_filter.h). That is 25
/// multiplications where the definition has 64. float32 only, for sizes where that is faster; the
/// bits depend on the sizes alone, not on the number of threads.
///
/// The error is about twice that of the definition in float32, and it is relative to the largest
/// input of a tile of 10x10. NaN and infinity stay where the definition puts them: results that are
/// not finite must be computed in another way.
///
/// CATENA_WINOGRAD=0 turns it off.
const ConvolutionWay& phase_way();

}  // namespace catena
