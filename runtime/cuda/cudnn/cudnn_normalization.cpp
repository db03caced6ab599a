// Batch normalization as operations of cuDNN's graph interface.
#include "runtime/cuda/cudnn/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::cuda {

namespace {

/// x as [outer, keys, inner, 1] around the axes that are kept; nothing when these are not
/// neighbours.
std::optional<Shape> image_shape(const Shape& x, const Axes& axes) {
    Shape shape{1, 1, 1, 1};
    int d = 0;
    for (int part = 0; part < 3; ++part)
        for (; d < x.rank() && axes.contains(d) == (part != 1); ++d) shape[part] *= x[d];
    return d == x.rank() ? std::optional(shape) : std::nullopt;
}

Array shaped(const Array& array, const Shape& shape) {
    return array.view(shape, contiguous_strides(shape), array.body()->offset);
}

}  // namespace

bool is_normalization_role(LibraryRole role) {
    return role == LibraryRole::batch_normalization ||
           role == LibraryRole::batch_normalization_gradient;
}

bool takes_normalization(const KernelCall& call) {
    // Statistics and factors are float; cuDNN has no engine for double.
    const Dtype dtype = call.inputs[0].dtype(), statistic = Dtype::float32;
    if (compute_dtype(dtype) != statistic) return false;
    const std::optional<Shape> shape =
        image_shape(call.inputs[0].shape(), call.attributes.dims("axis"));
    if (!shape || (*shape)[0] < 2) return false;
    // Engines want the keys innermost. Images with their channels outside are copied there and back
    // in the workspace: generated kernels read less. And they want whole vectors of 16 bytes.
    if ((*shape)[2] != 1 || (*shape)[1] * int64_t(size_of(dtype)) % 16 != 0) return false;
    for (size_t i = 1; i < call.inputs.size(); ++i)
        if (call.inputs[i].dtype() != (i == 4 ? dtype : statistic)) return false;
    for (size_t i = 1; i < call.outputs.size(); ++i)
        if (call.outputs[i].dtype() != statistic) return false;
    return true;
}

Operands normalization_operands(const KernelCall& call, const Array& inverse_deviation) {
    const Shape image = *image_shape(call.inputs[0].shape(), call.attributes.dims("axis"));
    const Shape keys{1, image[1], 1, 1};
    const auto in = call.inputs;
    const auto out = call.outputs;
    const bool forward = library_role_of(call.op) == LibraryRole::batch_normalization;
    const std::vector<Array> given =
        forward
            ? std::vector{in[0], out[0], out[1], inverse_deviation, in[1], in[2]}
            : std::vector{in[0], in[4], out[0], in[2], inverse_deviation, in[1], out[1], out[2]};
    Operands operands;
    for (size_t i = 0; i < given.size(); ++i)
        operands.push_back(shaped(given[i].as_contiguous(), i < (forward ? 2 : 3) ? image : keys));
    return operands;
}

Operation normalization_operation(LibraryRole role, const Operands& operands) {
    const bool forward = role == LibraryRole::batch_normalization;
    Operation parts;
    for (size_t i = 0; i < operands.size(); ++i)
        parts.push_back(tensor_of(int64_t(i), operands[i]));
    const int64_t epsilon = int64_t(parts.size());
    Descriptor operation(forward ? CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR
                                 : CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
    auto set_tensors = [&](std::initializer_list<cudnnBackendAttributeName_t> names) {
        size_t i = 0;
        for (cudnnBackendAttributeName_t name : names) operation.set(name, parts[i++]);
    };
    if (forward) {
        parts.push_back(number_tensor(epsilon, Dtype::float32, 4));
        operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_BATCH_NORM);
        operation.set(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
        set_tensors({CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC,
                     CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC,
                     CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC,
                     CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
                     CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC,
                     CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC});
    } else {
        operation.set(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_BATCH_NORM);
        set_tensors({CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC,
                     CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC,
                     CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC,
                     CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC,
                     CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC,
                     CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC});
    }
    operation.finalize();
    parts.push_back(std::move(operation));
    return parts;
}

}  // namespace catena::cuda

#endif
