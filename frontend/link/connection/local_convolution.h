#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/define/per_axis.h"

namespace catena {

/// Options of a LocalConvolution2D.
struct LocalConvolution2DOptions {
    /// Steps of the windows.
    PerAxis stride = 1;
    /// Whether there is no bias.
    bool nobias = false;
    /// Initializer of W.
    Initializer initialW = {};
    /// Initializer of b.
    Initializer initial_bias = 0.0;
};

/// local_convolution_2d with W [out_channels, positions down, positions across, in_channels, kh,
/// kw] and b [out_channels, positions down, positions across].
class LocalConvolution2D : public Link {
public:
    /// Makes the link; sizes that are not given (or 0) are those of the first input.
    LocalConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                       const PerAxis& in_size, const PerAxis& ksize,
                       const LocalConvolution2DOptions& options = {});
    LocalConvolution2D(int64_t out_channels, const PerAxis& ksize,
                       const LocalConvolution2DOptions& options = {})
        : LocalConvolution2D(std::nullopt, out_channels, {}, ksize, options) {}
    /// x [N, in_channels, H, W] gives [N, out_channels, H', W'].
    Variable operator()(const Operand& x);

    Parameter W, b;  ///< The weights and the bias; b is empty with nobias.

private:
    void initialize(int64_t in_channels, const Dims& in_size);
    int64_t out_channels_;
    Dims ksize_, stride_;
    bool nobias_;
};

}  // namespace catena
