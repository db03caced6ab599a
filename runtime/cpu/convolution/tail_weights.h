#pragma once

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/convolution_call.h"

namespace catena {

/// Weights as a convolution's primitive reads them, each output channel times a number, with what
/// bounds the results: as long as all inputs are at most m in magnitude, no sum of products is
/// larger than m times the bound, in whatever order it is computed.
struct TailWeights {
    const float* elements = nullptr;     ///< Null: they would have to be made, for this run alone.
    double bound = 0, scaled_bound = 0;  ///< The largest sum of magnitudes of an output channel,
                                         ///< without its number and with it.
    Array memory;                        ///< Where the elements are.

    /// `scale`: a number for each output channel, or null. With it there are always elements, made
    /// if need be: they are rounded otherwise than results that are scaled, and all runs are to
    /// give the same bits.
    static TailWeights find(ConvolutionCall& call, const ConvolutionPrimitive& primitive,
                            const Array& W, const float* scale);
};

}  // namespace catena
