#include "frontend/link/convolution.h"

#include "frontend/link/lazy.h"
#include "runtime/core/error.h"
#include "runtime/ops/convolution.h"

namespace catena {
namespace {

void check(const char* link, int64_t out_channels, const Dims& ksize, int64_t groups) {
    if (ksize.rank() != 2 || ksize[0] <= 0 || ksize[1] <= 0)
        fail<ValueError>("{}: ksize must be one or two positive sizes, not {}", link, to_string(ksize));
    if (groups <= 0 || out_channels <= 0 || out_channels % groups != 0)
        fail<ValueError>("{}: out_channels must be a positive multiple of groups, not {} of {}", link, out_channels,
                         groups);
}

void check_in_channels(const char* link, int64_t in_channels, int64_t groups) {
    if (in_channels % groups != 0)
        fail<ValueError>("{}: in_channels must be a multiple of groups, not {} of {}", link, in_channels, groups);
}

int64_t channels_of(const char* link, const Variable& x) {
    if (x.rank() != 4) fail<ShapeError>("{}: x should be [N, C, H, W], it is {}", link, to_string(x.type()));
    return x.shape()[1];
}

std::vector<std::pair<std::string, std::string>> specs(std::optional<int64_t> in_channels, int64_t out_channels,
                                                       const Dims& ksize, const Dims& stride, const Dims& pad,
                                                       bool nobias) {
    return {{"in_channels", size_text(in_channels)},
            {"out_channels", size_text(out_channels)},
            {"ksize", fmt::format("{}, stride={}, pad={}", to_string(ksize), to_string(stride), to_string(pad))},
            {"nobias", bool_text(nobias)}};
}

}  // namespace

Convolution2D::Convolution2D(std::optional<int64_t> in_channels, int64_t out_channels, Dims ksize,
                             const Convolution2DOptions& options)
    : W(options.initialW), out_channels_(out_channels), ksize_(ksize), options_(options) {
    if (ksize_.rank() == 1) ksize_.push_back(ksize_[0]);
    check("Convolution2D", out_channels, ksize_, options.groups);
    add_param("W", W);
    if (auto channels = known(in_channels)) initialize(*channels);
    if (options.nobias) return;
    b = Parameter(options.initial_bias, Shape{out_channels});
    add_param("b", b);
}

void Convolution2D::initialize(int64_t in_channels) {
    check_in_channels("Convolution2D", in_channels, options_.groups);
    W.initialize({out_channels_, in_channels / options_.groups, ksize_[0], ksize_[1]});
}

Variable Convolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    if (!W.is_initialized()) initialize(channels_of("Convolution2D", x));
    ConvolutionOptions options{.stride = options_.stride, .pad = options_.pad, .dilate = options_.dilate,
                               .groups = options_.groups};
    return convolution_2d(x, W, options_.nobias ? Variable() : Variable(b), options);
}

std::vector<std::pair<std::string, std::string>> Convolution2D::printable_specs() const {
    std::optional<int64_t> in_channels;
    if (W.is_initialized()) in_channels = W.shape()[1] * options_.groups;
    return specs(in_channels, out_channels_, ksize_, options_.stride, options_.pad, options_.nobias);
}

Deconvolution2D::Deconvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, Dims ksize,
                                 const Deconvolution2DOptions& options)
    : W(options.initialW), out_channels_(out_channels), ksize_(ksize), options_(options) {
    if (ksize_.rank() == 1) ksize_.push_back(ksize_[0]);
    check("Deconvolution2D", out_channels, ksize_, options.groups);
    add_param("W", W);
    if (auto channels = known(in_channels)) initialize(*channels);
    if (options.nobias) return;
    b = Parameter(options.initial_bias, Shape{out_channels});
    add_param("b", b);
}

void Deconvolution2D::initialize(int64_t in_channels) {
    check_in_channels("Deconvolution2D", in_channels, options_.groups);
    W.initialize({in_channels, out_channels_ / options_.groups, ksize_[0], ksize_[1]});
}

Variable Deconvolution2D::operator()(const Operand& x) {
    LocationScope scope(x.location());
    if (!W.is_initialized()) initialize(channels_of("Deconvolution2D", x));
    DeconvolutionOptions options{.stride = options_.stride, .pad = options_.pad, .outsize = options_.outsize,
                                 .dilate = options_.dilate, .groups = options_.groups};
    return deconvolution_2d(x, W, options_.nobias ? Variable() : Variable(b), options);
}

std::vector<std::pair<std::string, std::string>> Deconvolution2D::printable_specs() const {
    std::optional<int64_t> in_channels;
    if (W.is_initialized()) in_channels = W.shape()[0];
    return specs(in_channels, out_channels_, ksize_, options_.stride, options_.pad, options_.nobias);
}

}  // namespace catena
