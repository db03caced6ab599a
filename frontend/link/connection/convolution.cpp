#include "frontend/link/connection/convolution.h"

#include <algorithm>

#include "frontend/link/lazy.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/connection/convolution.h"

namespace catena {
namespace {

/// "[N, C, H, W]"
std::string input_text(int ndim) {
    static constexpr const char* axes[] = {"", "L", "H, W", "D, H, W"};
    return fmt::format("[N, C, {}]", axes[ndim]);
}

/// The sizes of the windows; one size applies to all axes.
Dims kernel_sizes(const char* kind, int ndim, Dims ksize) {
    if (ndim < 1 || ndim > 3)
        fail<ValueError>("{}: ndim is {}, it should be 1, 2 or 3", kind, ndim);
    if (ksize.rank() == 1) ksize = Dims::filled(ndim, ksize[0]);
    if (ksize.rank() != ndim ||
        std::any_of(ksize.begin(), ksize.end(), [](int64_t size) { return size <= 0; }))
        fail<ValueError>("{}: ksize must be one or {} positive sizes, not {}", kind, ndim,
                         to_string(ksize));
    return ksize;
}

/// The array as a weight; ShapeError unless it can be one over so many axes.
const Array& checked_channels(const char* kind, int ndim, const Array& W) {
    if (!W.defined() || W.rank() != ndim + 2)
        fail<ShapeError>("{}: W should have {} axes, it is {}", kind, ndim + 2,
                         W.defined() ? to_string(W.type()) : "undefined");
    return W;
}

ConvolutionLinkOptions with_params(ConvolutionLinkOptions options, const Array& W, const Array& b) {
    options.initialW = W;
    options.nobias = !b.defined();
    if (b.defined()) options.initial_bias = b;
    return options;
}

}  // namespace

ConvolutionLink::ConvolutionLink(const char* kind, bool transposed, int ndim,
                                 std::optional<int64_t> in_channels, int64_t out_channels,
                                 Dims ksize, const ConvolutionLinkOptions& options)
    : W(options.initialW),
      kind_(kind),
      transposed_(transposed),
      out_channels_(out_channels),
      ksize_(kernel_sizes(kind, ndim, ksize)),
      options_(options) {
    int64_t groups = options.groups;
    if (groups <= 0 || out_channels <= 0 || out_channels % groups != 0)
        fail<ValueError>("{}: out_channels must be a positive multiple of groups, not {} of {}",
                         kind, out_channels, groups);
    if (transposed && options.cover_all)
        fail<ValueError>(
            "{}: cover_all is an option of convolutions; give the result's sizes with outsize",
            kind);
    add_param("W", W);
    if (auto channels = known((std::string(kind) + ": in_channels").c_str(), in_channels))
        initialize(*channels);
    if (options.nobias) return;
    b = Parameter(options.initial_bias, Shape{out_channels});
    add_param("b", b);
}

void ConvolutionLink::initialize(int64_t in_channels) {
    int64_t groups = options_.groups;
    if (in_channels % groups != 0)
        fail<ValueError>("{}: in_channels must be a multiple of groups, not {} of {}", kind_,
                         in_channels, groups);
    Shape shape = transposed_ ? Shape{in_channels, out_channels_ / groups}
                              : Shape{out_channels_, in_channels / groups};
    for (int64_t size : ksize_) shape.push_back(size);
    W.initialize(shape);
}

void ConvolutionLink::initialize(const Variable& x) {
    const int ndim = ksize_.rank();
    if (x.rank() != ndim + 2)
        fail<ShapeError>("{}: x should be {}, it is {}", kind_, input_text(ndim),
                         to_string(x.type()));
    if (!W.is_initialized()) initialize(x.shape()[1]);
}

Variable ConvolutionLink::bias() const { return options_.nobias ? Variable() : Variable(b); }

std::vector<std::pair<std::string, std::string>> ConvolutionLink::printable_specs() const {
    std::optional<int64_t> in_channels;
    if (W.is_initialized())
        in_channels = transposed_ ? W.shape()[0] : W.shape()[1] * options_.groups;
    return {{"in_channels", size_text(in_channels)},
            {"out_channels", size_text(out_channels_)},
            {"ksize", fmt::format("{}, stride={}, pad={}", to_string(ksize_),
                                  to_string(options_.stride), to_string(options_.pad))},
            {"nobias", bool_text(options_.nobias)}};
}

ConvolutionND::ConvolutionND(const char* kind, int ndim, std::optional<int64_t> in_channels,
                             int64_t out_channels, Dims ksize,
                             const ConvolutionLinkOptions& options)
    : ConvolutionLink(kind, false, ndim, in_channels, out_channels, ksize, options) {
    if (!options.outsize.empty())
        fail<ValueError>(
            "{}: outsize is {}, but the result has the size that stride and pad give it", kind,
            to_string(options.outsize));
}

ConvolutionND::ConvolutionND(const char* kind, int ndim, const Array& weight, const Array& bias,
                             const ConvolutionLinkOptions& options)
    : ConvolutionND(kind, ndim, checked_channels(kind, ndim, weight).shape()[1] * options.groups,
                    weight.shape()[0],
                    Dims(std::span(weight.shape().begin() + 2, weight.shape().end())),
                    with_params(options, weight, bias)) {}

Variable ConvolutionND::operator()(const Operand& x) {
    LocationScope scope(x.location());
    initialize(x);
    return called(x, [&] {
        return convolution_nd(x, W, bias(),
                              {.stride = options().stride,
                               .pad = options().pad,
                               .cover_all = options().cover_all,
                               .dilate = options().dilate,
                               .groups = options().groups});
    });
}

DeconvolutionND::DeconvolutionND(const char* kind, int ndim, std::optional<int64_t> in_channels,
                                 int64_t out_channels, Dims ksize,
                                 const ConvolutionLinkOptions& options)
    : ConvolutionLink(kind, true, ndim, in_channels, out_channels, ksize, options) {}

Variable DeconvolutionND::operator()(const Operand& x) {
    LocationScope scope(x.location());
    initialize(x);
    return called(x, [&] {
        return deconvolution_nd(x, W, bias(),
                                {.stride = options().stride,
                                 .pad = options().pad,
                                 .outsize = options().outsize,
                                 .dilate = options().dilate,
                                 .groups = options().groups});
    });
}

}  // namespace catena
