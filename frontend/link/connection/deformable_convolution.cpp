#include "frontend/link/connection/deformable_convolution.h"

#include "frontend/link/lazy.h"
#include "runtime/ops/spatial/deformable_convolution.h"

namespace catena {

DeformableConvolution2DSampler::DeformableConvolution2DSampler(
    std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
    const DeformableConvolution2DSamplerOptions& options)
    : W(options.initialW),
      b(options.initial_bias),
      out_channels_(out_channels),
      ksize_(per_axis("DeformableConvolution2D", "ksize", ksize, 2, 1)),
      stride_(options.stride),
      pad_(options.pad),
      nobias_(options.nobias) {
    if (out_channels <= 0)
        fail<ValueError>("DeformableConvolution2D: out_channels must be positive, not {}",
                         out_channels);
    add_param("W", W);
    if (auto channels = known("DeformableConvolution2D: in_channels", in_channels))
        W.initialize({out_channels, *channels, ksize_[0], ksize_[1]});
    if (nobias_) return;
    b.initialize({out_channels});
    add_param("b", b);
}

Variable DeformableConvolution2DSampler::operator()(const Operand& x, const Operand& offset) {
    LocationScope scope(x.location());
    const Variable& images = x;
    if (images.rank() != 4)
        fail<ShapeError>("DeformableConvolution2D: x should be [N, C, H, W], it is {}",
                         to_string(images.type()));
    if (!W.is_initialized()) W.initialize({out_channels_, images.shape()[1], ksize_[0], ksize_[1]});
    return called({&images, &offset.variable()}, [&] {
        return deformable_convolution_2d_sampler(x, offset, W, nobias_ ? Variable() : Variable(b),
                                                 stride_, pad_);
    });
}

DeformableConvolution2D::DeformableConvolution2D(std::optional<int64_t> in_channels,
                                                 int64_t out_channels, const PerAxis& ksize,
                                                 const DeformableConvolution2DOptions& o)
    : offset_conv(in_channels,
                  2 *
                      [&] {
                          const Dims sizes =
                              per_axis("DeformableConvolution2D", "ksize", ksize, 2, 1);
                          return sizes[0] * sizes[1];
                      }(),
                  ksize,
                  {.stride = o.stride,
                   .pad = o.pad,
                   .nobias = o.offset_nobias,
                   .initialW = o.offset_initialW,
                   .initial_bias = o.offset_initial_bias}),
      deform_conv(in_channels, out_channels, ksize,
                  {.stride = o.stride,
                   .pad = o.pad,
                   .nobias = o.deform_nobias,
                   .initialW = o.deform_initialW,
                   .initial_bias = o.deform_initial_bias}) {
    list_child("offset_conv", offset_conv);
    list_child("deform_conv", deform_conv);
}

Variable DeformableConvolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] { return deform_conv(x, offset_conv(x)); });
}

}  // namespace catena
