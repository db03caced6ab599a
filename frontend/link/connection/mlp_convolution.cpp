#include "frontend/link/connection/mlp_convolution.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/activation/activation.h"

namespace catena {

MLPConvolution2D::MLPConvolution2D(std::optional<int64_t> in_channels,
                                   const std::vector<int64_t>& out_channels, const PerAxis& ksize,
                                   const MLPConvolution2DOptions& options)
    : activation_(options.activation) {
    if (out_channels.empty())
        fail<ValueError>(
            "MLPConvolution2D: out_channels is empty; it should have an entry for each "
            "convolution");
    if (!activation_) activation_ = [](const Variable& x) { return relu(x); };
    append(Convolution2D(in_channels, out_channels[0], ksize,
                         {.stride = options.stride,
                          .pad = options.pad,
                          .initialW = options.conv_init,
                          .initial_bias = options.bias_init}));
    for (size_t i = 1; i < out_channels.size(); ++i)
        append(Convolution2D(out_channels[i - 1], out_channels[i], 1,
                             {.initialW = options.conv_init, .initial_bias = options.bias_init}));
}

Variable MLPConvolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    return called(x, [&] {
        Variable h = get<Convolution2D>(0)(x);
        for (size_t i = 1; i < size(); ++i) h = get<Convolution2D>(i)(activation_(h));
        return h;
    });
}

}  // namespace catena
