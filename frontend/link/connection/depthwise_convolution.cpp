#include "frontend/link/connection/depthwise_convolution.h"

#include "frontend/link/lazy.h"
#include "runtime/ops/connection/local_convolution.h"

namespace catena {

DepthwiseConvolution2D::DepthwiseConvolution2D(std::optional<int64_t> in_channels,
                                               int64_t channel_multiplier, const PerAxis& ksize,
                                               const DepthwiseConvolution2DOptions& options)
    : W(options.initialW),
      b(options.initial_bias),
      multiplier_(channel_multiplier),
      ksize_(per_axis("DepthwiseConvolution2D", "ksize", ksize, 2, 1)),
      stride_(options.stride),
      pad_(options.pad),
      nobias_(options.nobias) {
    if (channel_multiplier <= 0)
        fail<ValueError>("DepthwiseConvolution2D: channel_multiplier must be positive, not {}",
                         channel_multiplier);
    add_param("W", W);
    if (!nobias_) add_param("b", b);
    if (auto channels = known("DepthwiseConvolution2D: in_channels", in_channels))
        initialize(*channels);
}

void DepthwiseConvolution2D::initialize(int64_t in_channels) {
    W.initialize({multiplier_, in_channels, ksize_[0], ksize_[1]});
    if (!nobias_) b.initialize({multiplier_ * in_channels});
}

Variable DepthwiseConvolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    const Variable& images = x;
    if (images.rank() != 4)
        fail<ShapeError>("DepthwiseConvolution2D: x should be [N, C, H, W], it is {}",
                         to_string(images.type()));
    if (!W.is_initialized()) initialize(images.shape()[1]);
    return called(x, [&] {
        return depthwise_convolution_2d(x, W, nobias_ ? Variable() : Variable(b), stride_, pad_);
    });
}

}  // namespace catena
