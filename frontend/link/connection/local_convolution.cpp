#include "frontend/link/connection/local_convolution.h"

#include "frontend/link/lazy.h"
#include "runtime/ops/connection/convolution.h"
#include "runtime/ops/connection/local_convolution.h"
#include "runtime/ops/connection/window_count.h"

namespace catena {

LocalConvolution2D::LocalConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels,
                                       const PerAxis& in_size, const PerAxis& ksize,
                                       const LocalConvolution2DOptions& options)
    : W(options.initialW),
      b(options.initial_bias),
      out_channels_(out_channels),
      ksize_(per_axis("LocalConvolution2D", "ksize", ksize, 2, 1)),
      stride_(per_axis("LocalConvolution2D", "stride", options.stride, 2, 1)),
      nobias_(options.nobias) {
    if (out_channels <= 0)
        fail<ValueError>("LocalConvolution2D: out_channels must be positive, not {}", out_channels);
    add_param("W", W);
    if (!nobias_) add_param("b", b);
    const auto channels = known("LocalConvolution2D: in_channels", in_channels);
    if (channels && !in_size.empty())
        initialize(*channels, per_axis("LocalConvolution2D", "in_size", in_size, 2, 1));
}

void LocalConvolution2D::initialize(int64_t in_channels, const Dims& in_size) {
    int64_t positions[2];
    for (int i = 0; i < 2; ++i) {
        positions[i] = window_count(in_size[i], ksize_[i], stride_[i], 0, false);
        if (positions[i] <= 0)
            fail<ShapeError>("LocalConvolution2D: a window of {} does not fit into {}",
                             to_string(ksize_), to_string(in_size));
    }
    W.initialize({out_channels_, positions[0], positions[1], in_channels, ksize_[0], ksize_[1]});
    if (!nobias_) b.initialize({out_channels_, positions[0], positions[1]});
}

Variable LocalConvolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    const Variable& images = x;
    if (images.rank() != 4)
        fail<ShapeError>("LocalConvolution2D: x should be [N, C, H, W], it is {}",
                         to_string(images.type()));
    if (!W.is_initialized()) initialize(images.shape()[1], {images.shape()[2], images.shape()[3]});
    return called(x, [&] {
        return local_convolution_2d(x, W, nobias_ ? Variable() : Variable(b), PerAxis(stride_));
    });
}

}  // namespace catena
