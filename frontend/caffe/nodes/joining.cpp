// Operators that join, split and reshape.
#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/net_writer.h"

namespace catena::caffe {
namespace {

void write_concat(Operator& op) {
    std::vector<int> inputs;
    for (int i = 0; i < op.count(); ++i) inputs.push_back(i);
    op.layer("Concat", inputs).mutable_concat_param()->set_axis(int32_t(op.integer("axis", 1)));
}

void write_split(Operator& op) {
    const std::vector<int64_t> sizes = op.constant(1, "sizes").to_vector<int64_t>();
    format::SliceParameter& p = *op.layer("Slice", {0}, int(sizes.size())).mutable_slice_param();
    p.set_axis(int32_t(op.integer("axis", 0)));
    int64_t at = 0;
    for (size_t i = 0; i + 1 < sizes.size(); ++i) p.add_slice_point(uint32_t(at += sizes[i]));
}

/// Products flatten what is behind the batch themselves. An unchanged batch stays open to the
/// caller.
void write_reshape(Operator& op) {
    const std::vector<int64_t> sizes = op.constant(1, "sizes").to_vector<int64_t>();
    const std::optional<Shape> x = op.input_shape(0);
    const bool keeps_batch = x && x->rank() > 0 && !sizes.empty() && (*x)[0] == sizes[0];
    if (keeps_batch && sizes.size() == 2 && op.all_readers_are("Gemm")) return op.alias(0);
    format::BlobShape& shape = *op.layer("Reshape").mutable_reshape_param()->mutable_shape();
    for (size_t i = 0; i < sizes.size(); ++i) shape.add_dim(i == 0 && keeps_batch ? 0 : sizes[i]);
}

void write_identity(Operator& op) { op.alias(0); }

/// Writes a cast to floats: blobs are of one type; rounding to integers would be lost.
void write_cast(Operator& op) {
    const std::optional<Dtype> to = op.dtype("to");
    if (!to || !is_float(*to)) op.unsupported(to ? std::string(name_of(*to)) : "this type");
    op.alias(0);
}

const int joining_added = add_layer_writers({
    {"Concat", write_concat},
    {"Split", write_split},
    {"Reshape", write_reshape},
    {"Identity", write_identity},
    {"Cast", write_cast},
});

}  // namespace
}  // namespace catena::caffe
