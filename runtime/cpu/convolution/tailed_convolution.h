#pragma once

#include <span>
#include <vector>

#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {

/// A forward convolution and its epilogue ("tail"), again and again with arrays of the same shapes
/// and strides. For one run at a time. Results are clipped by our own code, where NaN stays NaN, or
/// by oneDNN's, where none can be NaN (library_tail.h).
class TailedConvolution {
public:
    explicit TailedConvolution(const WindowSteps& steps) : steps_(steps) {}

    struct Operands {
        Array x, W;                  ///< The images and weights, float32.
        Array before, scale, shift;  ///< Operands with one number for each channel, or undefined.
        Array other;                 ///< The image that is added, of y's shape, or undefined.
        float lowest, highest;
        float range;  ///< A bound of the magnitudes in x; if it is not finite, nothing is known.
    };
    /// The epilogue in the form that the kernels take, valid until the next call. `other` is in y's
    /// memory order or undefined.
    TailEpilogue open_tail(const Operands& operands, const Array& other, int64_t channels);
    /// Runs it and returns a bound of the magnitudes in y, as Operands::range.
    float run(const Operands& operands, const Array& y, std::span<std::byte> scratch = {});
    size_t scratch_bytes() const { return convolution_.scratch_bytes(); }

private:
    /// Copies one number for each channel into `to`; `otherwise` where there are none.
    static void read(const Array& from, float otherwise, int64_t channels, std::vector<float>& to);

    WindowSteps steps_;
    FloatConvolution convolution_;
    std::vector<float> before_, scale_, shift_;
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
