#include "frontend/link/convolution.h"

#include "frontend/link/lazy.h"
#include "runtime/core/error.h"
#include "runtime/ops/connection/convolution.h"

namespace catena {

ConvolutionLink::ConvolutionLink(const char* kind, bool transposed, std::optional<int64_t> in_channels,
                                 int64_t out_channels, Dims ksize, const Convolution2DOptions& options)
    : W(options.initialW), kind_(kind), transposed_(transposed), out_channels_(out_channels), ksize_(ksize),
      options_(options) {
    if (ksize_.rank() == 1) ksize_.push_back(ksize_[0]);
    if (ksize_.rank() != 2 || ksize_[0] <= 0 || ksize_[1] <= 0)
        fail<ValueError>("{}: ksize must be one or two positive sizes, not {}", kind, to_string(ksize_));
    int64_t groups = options.groups;
    if (groups <= 0 || out_channels <= 0 || out_channels % groups != 0)
        fail<ValueError>("{}: out_channels must be a positive multiple of groups, not {} of {}", kind, out_channels,
                         groups);
    add_param("W", W);
    if (auto channels = known((std::string(kind) + ": in_channels").c_str(), in_channels)) initialize(*channels);
    if (options.nobias) return;
    b = Parameter(options.initial_bias, Shape{out_channels});
    add_param("b", b);
}

void ConvolutionLink::initialize(int64_t in_channels) {
    int64_t groups = options_.groups;
    if (in_channels % groups != 0)
        fail<ValueError>("{}: in_channels must be a multiple of groups, not {} of {}", kind_, in_channels, groups);
    if (transposed_) W.initialize({in_channels, out_channels_ / groups, ksize_[0], ksize_[1]});
    else W.initialize({out_channels_, in_channels / groups, ksize_[0], ksize_[1]});
}

void ConvolutionLink::initialize(const Variable& x) {
    if (W.is_initialized()) return;
    if (x.rank() != 4) fail<ShapeError>("{}: x should be [N, C, H, W], it is {}", kind_, to_string(x.type()));
    initialize(x.shape()[1]);
}

Variable ConvolutionLink::bias() const { return options_.nobias ? Variable() : Variable(b); }

std::vector<std::pair<std::string, std::string>> ConvolutionLink::printable_specs() const {
    std::optional<int64_t> in_channels;
    if (W.is_initialized()) in_channels = transposed_ ? W.shape()[0] : W.shape()[1] * options_.groups;
    return {{"in_channels", size_text(in_channels)},
            {"out_channels", size_text(out_channels_)},
            {"ksize", fmt::format("{}, stride={}, pad={}", to_string(ksize_), to_string(options_.stride),
                                  to_string(options_.pad))},
            {"nobias", bool_text(options_.nobias)}};
}

Convolution2D::Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                             const Convolution2DOptions& options)
    : ConvolutionLink("Convolution2D", false, in_channels, out_channels, ksize, options) {
    if (!options.outsize.empty())
        fail<ValueError>("Convolution2D: outsize is {}, but the result has the size that stride and pad give it",
                         to_string(options.outsize));
}

Variable Convolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    initialize(x);
    return convolution_2d(x, W, bias(), {.stride = options().stride, .pad = options().pad,
                                         .dilate = options().dilate, .groups = options().groups});
}

Variable Deconvolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    initialize(x);
    return deconvolution_2d(x, W, bias(), {.stride = options().stride, .pad = options().pad,
                                           .outsize = options().outsize, .dilate = options().dilate,
                                           .groups = options().groups});
}

}  // namespace catena
