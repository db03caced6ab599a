#pragma once

#include <span>

#include "runtime/cpu/column_statistics.h"
#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {

/// A forward convolution that also gives the sum of each channel of its result, and the sum of
/// squares of the differences from the channel's mean: the statistics that batch normalization
/// needs first. It runs again and again with arrays of the same shapes and strides, one run at a
/// time. Where Catena's own tiles compute the convolution (channels last; windows of one element as
/// products, 3x3 by Winograd's method) they gather the sums as they store; otherwise one pass over
/// the result does (epilogue_pass.h), while it is in the shared cache.
class MeasuredConvolution {
public:
    explicit MeasuredConvolution(const WindowSteps& steps) : steps_(steps) {}

    /// Runs it. `sums` and `squares`: one float32 for each channel of y.
    void run(const Array& x, const Array& W, const Array& y, const Array& sums,
             const Array& squares, std::span<std::byte> scratch = {});
    size_t scratch_bytes() const { return convolution_.scratch_bytes(); }

private:
    WindowSteps steps_;
    FloatConvolution convolution_;
    ColumnStatistics statistics_;
};

/// The numbers of runs since the process began that gathered sums as tiles were stored, and that
/// needed a pass over the result (for tests).
struct MeasuredRuns {
    int64_t in_tiles, swept;
};
MeasuredRuns measured_runs();

}  // namespace catena
