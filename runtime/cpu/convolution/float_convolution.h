#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/cpu/convolution/way/way.h"
#include "runtime/cpu/window_steps.h"

namespace catena {

/// Whether FloatConvolution can take these operands: float32 with elements, images in one of the
/// two memory orders (runtime/core/array/memory_order.h), the others row-major. `bias` may be
/// undefined.
bool is_float_convolution(ConvolutionDirection direction, const Array& a, const Array& b,
                          const Array& bias, const Array& result);

/// A float32 convolution or one of its gradients, with its epilogue, by the first way of the table
/// that fits (runtime/cpu/convolution/ways.h). It is chosen at the first run, and stores what it
/// had to prepare, so that later runs look nothing up; all runs must have arrays of the same shapes
/// and strides, and the same kind of epilogue. Where no way computes the epilogue as it stores the
/// result, a way that computes none is chosen, and a pass follows (epilogue_pass.h). Only where a
/// way does not compute the values of a run, the next one that fits does. For one run at a time.
class FloatConvolution {
public:
    /// What computed the result, and whether a pass over it did the epilogue.
    struct Taken {
        const ConvolutionWay* way;
        bool in_pass;
    };
    /// Runs it. Profiles show the way by its name (runtime/profile/method_span.h).
    Taken run(const ConvolutionTask& task);
    /// Scratch memory in bytes, as far as it is known from earlier runs.
    size_t scratch_bytes() const;

private:
    struct Choice {
        size_t place;  ///< The place of the way in the table.
        Taken taken;
        std::unique_ptr<PreparedWay> prepared;
    };
    /// The first way after those that were chosen. `bare`: the task without its epilogue.
    Choice next(const ConvolutionTask& task, const ConvolutionTask& bare) const;

    std::vector<Choice> choices_;  ///< One, and further ones once a way did not compute a run.
};

}  // namespace catena
