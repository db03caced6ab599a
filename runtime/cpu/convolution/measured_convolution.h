#pragma once

#include <span>

#include "runtime/cpu/column_statistics.h"
#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {

/// A convolution forwards that also gives the sum of each channel of its result, and the sum of
/// squares of the differences from the channel's mean: what batch normalization needs first. Again
/// and again with arrays of the same shapes and strides, for one run at a time. Where our own tiles
/// compute the convolution (channels last; windows of one element as products, 3x3 by Winograd's
/// method) they gather the sums as they store; after others one sweep does, while the result is in
/// the shared cache.
class MeasuredConvolution {
public:
    explicit MeasuredConvolution(const WindowSteps& steps)
        : steps_(steps), convolution_(ConvolutionDirection::forward, steps) {}

    /// `sums` and `squares`: one float32 for each channel of y.
    void run(const Array& x, const Array& W, const Array& y, const Array& sums,
             const Array& squares, std::span<std::byte> scratch = {});
    size_t scratch_bytes() const { return convolution_.scratch_bytes(); }

private:
    bool run_in_tiles(const Array& x, const Array& W, const Array& y);

    WindowSteps steps_;
    FloatConvolution convolution_;
    ColumnStatistics statistics_;
};

/// How many runs since the process began gathered as tiles were stored, and how many in a sweep
/// (for tests).
struct MeasuredRuns {
    int64_t in_tiles, swept;
};
MeasuredRuns measured_runs();

}  // namespace catena
