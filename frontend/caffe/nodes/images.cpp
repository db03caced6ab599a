// Pooling and normalisation.
#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/net_writer.h"
#include "frontend/caffe/windows.h"

namespace catena::caffe {
namespace {

/// Windows as Caffe counts them by default, or rounded down where that gives the size.
void write_pooling(Operator& op, format::PoolingParameter::PoolMethod method) {
    const std::vector<int64_t> kernel = op.integers("kernel_shape"),
                               stride = op.integers("strides"), pads = op.integers("pads");
    const std::optional<Shape> x = op.input_shape(0), y = op.output_shape();
    if (kernel.size() != 2 || !x || !y)
        op.unsupported(fmt::format("windows of {} axes", kernel.size()));
    const auto gives_size = [&](bool round_up) {
        for (int i = 0; i < 2; ++i)
            if (pooling_windows((*x)[i + 2], kernel[size_t(i)], stride[size_t(i)], pads[size_t(i)],
                                round_up) != (*y)[i + 2])
                return false;
        return true;
    };
    const bool by_default = gives_size(true);
    if (!by_default && !gives_size(false))
        op.unsupported(fmt::format("windows that give {} from {}", to_string(*y), to_string(*x)));
    format::PoolingParameter& p = *op.layer("Pooling").mutable_pooling_param();
    p.set_pool(method);
    p.set_kernel_h(uint32_t(kernel[0]));
    p.set_kernel_w(uint32_t(kernel[1]));
    p.set_stride_h(uint32_t(stride[0]));
    p.set_stride_w(uint32_t(stride[1]));
    p.set_pad_h(uint32_t(pads[0]));
    p.set_pad_w(uint32_t(pads[1]));
    if (!by_default) p.set_round_mode(format::PoolingParameter::FLOOR);
}

void write_maxima(Operator& op) { write_pooling(op, format::PoolingParameter::MAX); }

void write_means(Operator& op) {
    if (!op.integer("count_include_pad", 0)) op.unsupported("means that do not count the padding");
    write_pooling(op, format::PoolingParameter::AVE);
}

void write_local_response(Operator& op) {
    format::LRNParameter& p = *op.layer("LRN").mutable_lrn_param();
    const int64_t size = op.integer("size", 0);
    if (size % 2 == 0) op.unsupported(fmt::format("{} neighbours; their number must be odd", size));
    p.set_local_size(uint32_t(size));
    p.set_alpha(float(op.real("alpha", 1e-4)));
    p.set_beta(float(op.real("beta", 0.75)));
    p.set_k(float(op.real("bias", 1)));
}

/// Two layers, as Caffe keeps factors and offsets apart from the statistics.
void write_batch_norm(Operator& op) {
    format::LayerParameter& norm = op.layer("BatchNorm");
    norm.mutable_batch_norm_param()->set_use_global_stats(true);
    norm.mutable_batch_norm_param()->set_eps(float(op.real("epsilon", 1e-5)));
    add_blob(norm, op.constant(3, "means"));
    add_blob(norm, op.constant(4, "variances"));
    add_blob(norm, Array::full({Dtype::float32, {1}}, 1));
    format::LayerParameter& scale = op.then("Scale", "_bn");
    scale.mutable_scale_param()->set_bias_term(true);
    add_blob(scale, op.constant(1, "factors"));
    add_blob(scale, op.constant(2, "offsets"));
}

const int images_added = add_layer_writers({
    {"MaxPool", write_maxima},
    {"AveragePool", write_means},
    {"LRN", write_local_response},
    {"BatchNormalization", write_batch_norm},
});

}  // namespace
}  // namespace catena::caffe
