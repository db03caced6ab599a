// Convolutions and matrix products.
#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/net_writer.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena::caffe {
namespace {

void write_windows(Operator& op, const Array& W, format::ConvolutionParameter& p) {
    if (W.rank() != 4) op.unsupported(fmt::format("weights {}", to_string(W.shape())));
    const std::vector<int64_t> pads = op.integers("pads"), strides = op.integers("strides"),
                               dilations = op.integers("dilations");
    if (pads.size() == 4 && (pads[0] != pads[2] || pads[1] != pads[3]))
        op.unsupported(fmt::format("padding of {} and {} rows", pads[0], pads[2]));
    p.set_kernel_h(uint32_t(W.dim(2)));
    p.set_kernel_w(uint32_t(W.dim(3)));
    if (pads.size() == 4) {
        p.set_pad_h(uint32_t(pads[0]));
        p.set_pad_w(uint32_t(pads[1]));
    }
    if (strides.size() == 2) {
        p.set_stride_h(uint32_t(strides[0]));
        p.set_stride_w(uint32_t(strides[1]));
    }
    if (std::any_of(dilations.begin(), dilations.end(), [](int64_t d) { return d != 1; }))
        for (int64_t d : dilations) p.add_dilation(uint32_t(d));
    p.set_group(uint32_t(op.integer("group", 1)));
}

void write_bias(Operator& op, int input, format::LayerParameter& layer) {
    if (op.has(input)) add_blob(layer, op.constant(input, "a bias"));
}

void write_convolution(Operator& op) {
    const Array W = op.constant(1, "weights");
    format::LayerParameter& layer = op.layer("Convolution");
    format::ConvolutionParameter& p = *layer.mutable_convolution_param();
    write_windows(op, W, p);
    p.set_num_output(uint32_t(W.dim(0)));
    p.set_bias_term(op.has(2));
    add_blob(layer, W);
    write_bias(op, 2, layer);
}

void write_deconvolution(Operator& op) {
    const Array W = op.constant(1, "weights");
    for (int64_t beyond : op.integers("output_padding"))
        if (beyond != 0) op.unsupported("a deconvolution to a larger size than the windows cover");
    format::LayerParameter& layer = op.layer("Deconvolution");
    format::ConvolutionParameter& p = *layer.mutable_convolution_param();
    write_windows(op, W, p);
    p.set_num_output(uint32_t(W.dim(1)) * p.group());
    p.set_bias_term(op.has(2));
    add_blob(layer, W);
    write_bias(op, 2, layer);
}

/// Writes a product with weights W [outputs, inputs].
void write_product(Operator& op, const Array& W, int64_t axis, int bias) {
    format::LayerParameter& layer = op.layer("InnerProduct");
    format::InnerProductParameter& p = *layer.mutable_inner_product_param();
    p.set_num_output(uint32_t(W.dim(0)));
    p.set_bias_term(op.has(bias));
    if (axis != 1) p.set_axis(int32_t(axis));
    add_blob(layer, W);
    write_bias(op, bias, layer);
}

Array transposed(const Array& matrix) { return transpose(matrix).array().as_contiguous(); }

void write_gemm(Operator& op) {
    const Array B = op.constant(1, "weights");
    if (op.integer("transA", 0) || op.real("alpha", 1) != 1 || op.real("beta", 1) != 1)
        op.unsupported("its factors");
    write_product(op, op.integer("transB", 0) ? B : transposed(B), 1, 2);
}

void write_matmul(Operator& op) {
    const Array B = op.constant(1, "weights");
    const std::optional<Shape> y = op.output_shape();
    if (B.rank() != 2 || !y || y->rank() < 2)
        op.unsupported(fmt::format("weights {}", to_string(B.shape())));
    write_product(op, transposed(B), y->rank() - 1, 2);
}

const int convolution_added = add_layer_writers({
    {"Conv", write_convolution},
    {"ConvTranspose", write_deconvolution},
    {"Gemm", write_gemm},
    {"MatMul", write_matmul},
});

}  // namespace
}  // namespace catena::caffe
