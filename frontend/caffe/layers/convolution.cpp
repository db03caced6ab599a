// Convolutions and matrix products.
#include "frontend/link/connection/convolution.h"

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "frontend/link/connection/linear.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena::caffe {
namespace {

using ConvolutionParameters = format::ConvolutionParameter;
using Numbers = google::protobuf::RepeatedField<uint32_t>;

/// A number for each of the two axes: from its own fields, from a list of one or two, or
/// `otherwise`.
PerAxis per_axis_of(const LayerInFile& layer, const char* what, bool has_h, uint32_t h, uint32_t w,
                    const Numbers& list, int64_t otherwise, int64_t least) {
    if (list.size() > 2) layer.unsupported(fmt::format("a convolution over {} axes", list.size()));
    PerAxis found{otherwise, otherwise};
    if (has_h)
        found = {int64_t(h), int64_t(w)};
    else if (list.size() > 0)
        found = {int64_t(list[0]), int64_t(list[list.size() - 1])};
    for (int64_t value : found)
        if (value < least || value > INT32_MAX)
            layer.wrong(fmt::format("has the {} {}", what, value));
    return found;
}

/// The weights W [a, b, kh, kw] as Caffe and Catena store them.
Array weights_of(const LayerInFile& layer) {
    const Array W = layer.blob(0);
    if (W.rank() != 4)
        layer.unsupported(fmt::format("a convolution with weights {}", to_string(W.shape())));
    if (W.size() == 0) layer.wrong(fmt::format("has weights {}", to_string(W.shape())));
    const ConvolutionParameters& p = layer->convolution_param();
    if (p.axis() != 1)
        layer.unsupported(fmt::format("a convolution with channels in axis {}", p.axis()));
    if (!p.has_kernel_h() && p.kernel_size_size() == 0) return W;
    const PerAxis kernel = per_axis_of(layer, "kernel", p.has_kernel_h(), p.kernel_h(),
                                       p.kernel_w(), p.kernel_size(), 1, 1);
    if (kernel[0] != W.dim(2) || kernel[1] != W.dim(3))
        layer.wrong(fmt::format("has a kernel of [{},{}] and weights {}", kernel[0], kernel[1],
                                to_string(W.shape())));
    return W;
}

Convolution2DOptions options_of(const LayerInFile& layer, const Array& W, int64_t outputs) {
    const ConvolutionParameters& p = layer->convolution_param();
    Convolution2DOptions options;
    options.stride = per_axis_of(layer, "stride", p.has_stride_h(), p.stride_h(), p.stride_w(),
                                 p.stride(), 1, 1);
    options.pad = per_axis_of(layer, "padding", p.has_pad_h() || p.has_pad_w(), p.pad_h(),
                              p.pad_w(), p.pad(), 0, 0);
    options.dilate = per_axis_of(layer, "dilation", false, 0, 0, p.dilation(), 1, 1);
    options.groups = p.group();
    options.initialW = W;
    options.nobias = !p.bias_term();
    if (p.has_num_output() && int64_t(p.num_output()) != outputs)
        layer.wrong(fmt::format("has {} outputs, its weights {} are for {}", p.num_output(),
                                to_string(W.shape()), outputs));
    if (p.group() == 0 || W.dim(0) % int64_t(p.group()))
        layer.wrong(fmt::format("has {} groups and weights {}", p.group(), to_string(W.shape())));
    if (p.bias_term()) options.initial_bias = layer.blob(1, Shape{outputs}, "a bias");
    return options;
}

LayerFunction read_convolution(const LayerInFile& layer) {
    const Array W = weights_of(layer);
    const Convolution2DOptions options = options_of(layer, W, W.dim(0));
    return of_link(
        Convolution2D(W.dim(1) * options.groups, W.dim(0), {W.dim(2), W.dim(3)}, options));
}

LayerFunction read_deconvolution(const LayerInFile& layer) {
    const Array W = weights_of(layer);
    const int64_t outputs = W.dim(1) * layer->convolution_param().group();
    return of_link(
        Deconvolution2D(W.dim(0), outputs, {W.dim(2), W.dim(3)}, options_of(layer, W, outputs)));
}

/// W [outputs, inputs], which older files store with two axes of size 1 before.
Array product_weights(const LayerInFile& layer) {
    const Array W = layer.blob(0);
    const bool has_four = W.rank() == 4 && W.dim(0) == 1 && W.dim(1) == 1;
    if ((W.rank() != 2 && !has_four) || W.size() == 0)
        layer.wrong(fmt::format("has weights {}", to_string(W.shape())));
    const Array matrix = layer.blob(0, {W.dim(W.rank() - 2), W.dim(W.rank() - 1)}, "weights");
    return layer->inner_product_param().transpose() ? transpose(matrix).array().as_contiguous()
                                                    : matrix;
}

LayerFunction read_inner_product(const LayerInFile& layer) {
    const auto& p = layer->inner_product_param();
    const Array W = product_weights(layer);
    const int64_t outputs = W.dim(0), axis = p.axis();
    if (p.has_num_output() && int64_t(p.num_output()) != outputs)
        layer.wrong(fmt::format("has {} outputs, its weights are for {}", p.num_output(), outputs));
    LinearOptions options{.nobias = !p.bias_term(), .initialW = W};
    if (p.bias_term()) options.initial_bias = layer.blob(1, Shape{outputs}, "a bias");
    return {[axis](std::span<const Variable> x, Link* own) {
                return Variables{
                    static_cast<Linear&>(*own)(x[0], axis_of(axis, x[0].rank(), "InnerProduct"))};
            },
            OwnedLink(Linear(W.dim(1), outputs, options))};
}

const int convolution_added = add_layer_readers({
    {"Convolution", read_convolution},
    {"Deconvolution", read_deconvolution},
    {"InnerProduct", read_inner_product},
});

}  // namespace
}  // namespace catena::caffe
