#pragma once

#include "runtime/cpu/convolution/way/way.h"

namespace catena {

/// Convolutions with 3x3 weights and steps of one, and their gradients, by Winograd's minimal
/// filtering (runtime/cpu/convolution/winograd/minimal_filter.h): a quarter of the
/// multiplications of the definition, done as 36 matrix products by oneDNN or in tiles of ours. For
/// sizes where that is faster; the bits depend on the sizes alone, not on the number of threads.
/// With a tail or statistics, y has its channels last.
///
/// The error is about four times that of the definition in float32 (relative to the results' root
/// mean square 7e-7 where the definition has 1.6e-7), and it is relative to the largest input of a
/// tile of 6x6, not of a window of 3x3: inputs of which a tile has much larger ones than a window
/// of it are not computed so (even_windows.h). NaN and infinity stay where the definition puts
/// them: neither are results that are not finite.
///
/// CATENA_WINOGRAD=0 turns it off.
const ConvolutionWay& winograd_way();

}  // namespace catena
