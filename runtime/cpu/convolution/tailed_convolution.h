#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/cpu/convolution/tail/convolution_tail.h"
#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {

/// A forward convolution and its epilogue ("tail"), again and again with arrays of the same shapes
/// and strides. For one run at a time.
///
/// Results are clipped by our own code, where NaN stays NaN, or by oneDNN's in the registers that
/// they are summed in, where NaN would become a bound. That is for results that cannot be NaN, as
/// is shown at each run from three things: the largest magnitude of x, which the operation that
/// made x tells or which is looked up; the largest sum of magnitudes of an output channel's
/// weights, which is kept with the packed weights (runtime/cpu/onednn/packed.h); and their product
/// with what the tail adds, which must stay far from overflow. A scale is then multiplied into the
/// packed weights. Whether weights are kept yet changes no bit.
class TailedConvolution {
public:
    explicit TailedConvolution(const WindowSteps& steps)
        : steps_(steps), convolution_(ConvolutionDirection::forward, steps) {}

    struct Operands {
        Array x, W;                  ///< The images and weights, float32.
        Array before, scale, shift;  ///< Operands with one number for each channel, or undefined.
        Array other;                 ///< The image that is added, of y's shape, or undefined.
        float lowest, highest;
        float range;  ///< A bound of the magnitudes in x; if it is not finite, nothing is known.
    };
    /// The epilogue in the form that the kernels take, valid until the next call. `other` is in y's
    /// memory order or undefined.
    ConvolutionTail open_tail(const Operands& operands, const Array& other, int64_t channels);
    /// Runs it and returns a bound of the magnitudes in y, as Operands::range.
    float run(const Operands& operands, const Array& y, std::span<std::byte> scratch = {});
    size_t scratch_bytes() const;

private:
    /// Copies one number for each channel into `to`; `otherwise` where there are none.
    static void read(const Array& from, float otherwise, int64_t channels, std::vector<float>& to);
    void make_nan(ConvolutionTail& tail);
    std::optional<float> run_in_library(const Operands& operands, const ConvolutionTail& tail,
                                        const Array& y, std::span<std::byte> scratch);
    bool prepare(const Operands& operands, const ConvolutionTail& tail, const Array& y);
    /// Joins both additions into one bias. Returns the largest magnitude that they add.
    double join_additions(const Operands& operands);

    WindowSteps steps_;
    FloatConvolution convolution_;
    std::vector<float> before_, scale_, shift_, bias_;
    int runs_ = 0, preparations_ = 0;
    float lowest_ = 0, highest_ = 0;  ///< The bounds of the prepared epilogue.
    std::shared_ptr<const ConvolutionPrimitive> primitive_;
    std::optional<ConvolutionCall> call_;
};

/// The elements of an array like y in y's memory order: itself, or a copy. Undefined if `other` is.
Array ordered_like(const Array& other, const Array& y);

/// The numbers of runs since the process began that clipped in oneDNN, in the registers of Catena's
/// kernels, and in a pass of its own (for tests).
struct TailRuns {
    int64_t in_library, direct, ours;
};
TailRuns tail_runs();

}  // namespace catena
