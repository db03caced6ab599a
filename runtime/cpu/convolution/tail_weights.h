#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/convolution_call.h"

namespace catena {

/// The weights as a convolution's primitive reads them, each output channel times a number, with a
/// bound of the results: if all inputs are at most m in magnitude, no sum of products is larger
/// than m times the bound, in whatever order it is computed.
struct TailWeights {
    /// The weights; null: they would have to be made, for this run alone.
    const float* elements = nullptr;
    /// The largest sum of magnitudes of an output channel, without its number and with it.
    double bound = 0, scaled_bound = 0;
    Array memory;  ///< The memory of the elements.

    /// Finds or makes the weights. `scale`: a number for each output channel, or null. With a scale
    /// there are always elements, made if need be: scaled weights round differently than scaled
    /// results, and all runs must give the same bits.
    static TailWeights find(ConvolutionCall& call, const ConvolutionPrimitive& primitive,
                            const Array& W, const float* scale);
};

}  // namespace catena
