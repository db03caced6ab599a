// Convolutions and average pooling as operations of cuDNN's graph interface.
#include "runtime/cuda/cudnn/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::cuda {

namespace {

/// The arrays of the call in the order of window_operands().
std::vector<const Array*> arrays_of(const KernelCall& call) {
    const auto in = call.inputs;
    const auto out = call.outputs;
    switch (library_role_of(call.op)) {
        case LibraryRole::convolution:
            return {&in[0], &in[1], &out[0]};
        case LibraryRole::convolution_data:
            return {&out[0], &in[1], &in[0]};
        case LibraryRole::convolution_weights:
            return {&in[0], &out[0], &in[1]};
        case LibraryRole::average_pooling:
            return {&in[0], &out[0]};
        default:
            return {&out[0], &in[0], &out[0], &in[0]};  // gx, gy; and for x and y, whose values no
                                                        // mean depends on, any of their sizes.
    }
}

/// How windows lie in one axis.
struct WindowAxis {
    int64_t size, positions, reach, stride, before, after;

    /// What the last window needs behind the border, where that is more than the padding.
    static WindowAxis of(int64_t size, int64_t positions, int64_t reach, int64_t stride,
                         int64_t pad) {
        WindowAxis axis{size, positions, reach, stride, pad, pad};
        if (!axis.fits()) axis.after = (positions - 1) * stride + reach - size - pad;
        return axis;
    }
    bool fits() const {
        const int64_t room = size + before + after - reach;
        return after >= 0 && room >= 0 && room / stride + 1 == positions;
    }
};

struct Window {
    std::vector<int64_t> before, after, stride, dilate, size;
    bool fits = true;
};

/// The window of a call, with two axes at least: images of one may be given as they are or widened.
Window window_of(LibraryRole role, std::span<const Array* const> arrays, const Attributes& a) {
    const Array &x = *arrays.front(), &y = *arrays.back();
    const int axes = a.dims("stride").rank(), first = x.rank() - axes;
    Window window;
    if (axes == 1) window = {{0}, {0}, {1}, {1}, {1}};
    for (int d = 0; d < axes; ++d) {
        window.stride.push_back(a.dims("stride")[d]);
        window.dilate.push_back(is_convolution(role) ? a.dims("dilate")[d] : 1);
        window.size.push_back(is_convolution(role) ? arrays[1]->dim(first + d)
                                                   : a.dims("ksize")[d]);
        const auto axis = WindowAxis::of(x.dim(first + d), y.dim(first + d),
                                         (window.size.back() - 1) * window.dilate.back() + 1,
                                         window.stride.back(), a.dims("pad")[d]);
        window.before.push_back(axis.before);
        window.after.push_back(axis.after);
        window.fits = window.fits && axis.fits();
        // cuDNN takes no padding that holds a whole window of pooling.
        if (!is_convolution(role))
            window.fits = window.fits && axis.before < axis.reach && axis.after < axis.reach;
    }
    return window;
}

/// Images of one axis get a second of size 1: cuDNN's engines begin at two.
Array widened(const Array& array) {
    if (array.rank() != 3) return array;
    Shape shape = array.shape();
    Strides strides = array.strides();
    strides.insert(2, strides[2] * shape[2]);
    shape.insert(2, 1);
    return array.view(shape, strides, array.body()->offset);
}

/// cuDNN 9.14's engines for the gradient of images, which take one product for each remainder of
/// the positions by the steps, fail where there are many of them, whatever the dtype: with three
/// axes they execute an illegal instruction or never end; where a window is smaller than its step,
/// so that some remainders have nothing to sum, they divide by zero while they are looked for
/// (H100: 18 of 8,192 random sizes, all of them with 12 remainders or more; tests/gpu).
bool engines_are_sound(LibraryRole role, const Window& window) {
    constexpr int64_t most_remainders = 9;
    int64_t remainders = 1;
    bool has_empty = false;
    for (size_t d = 0; d < window.stride.size(); ++d) {
        remainders *= window.stride[d];
        has_empty = has_empty || window.size[d] < window.stride[d];
    }
    return role != LibraryRole::convolution_data || remainders <= most_remainders ||
           (window.stride.size() < 3 && !has_empty);
}

/// Attributes of the three operations, which have names of their own.
struct ConvolutionNames {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t x, W, y, convolution, alpha, beta;
};
ConvolutionNames names_of(LibraryRole role) {
    switch (role) {
        case LibraryRole::convolution:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
        case LibraryRole::convolution_data:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
        default:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
    }
}

Operation convolution_operation(LibraryRole role, const Operands& operands, const Window& window) {
    const Dtype dtype = operands[0].dtype(), sums = compute_dtype(dtype);
    Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, *cudnn_type_of(sums));
    convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
    convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, int64_t(window.stride.size()));
    convolution.set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, window.before);
    convolution.set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, window.after);
    convolution.set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, window.stride);
    convolution.set_all<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, window.dilate);
    convolution.finalize();

    const ConvolutionNames names = names_of(role);
    Operation parts;
    for (size_t i = 0; i < operands.size(); ++i)
        parts.push_back(tensor_of(int64_t(i), operands[i]));
    Descriptor operation(names.operation);
    operation.set(names.x, parts[0]);
    operation.set(names.W, parts[1]);
    operation.set(names.y, parts[2]);
    operation.set(names.convolution, convolution);
    auto set_factors = [&](auto one, auto zero) {
        operation.set(names.alpha, one);
        operation.set(names.beta, zero);
    };
    sums == Dtype::float64 ? set_factors(1.0, 0.0) : set_factors(1.0f, 0.0f);
    operation.finalize();
    parts.push_back(std::move(convolution));
    parts.push_back(std::move(operation));
    return parts;
}

Operation pooling_operation(LibraryRole role, const Operands& operands, const Window& window) {
    Descriptor resampling(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR);
    resampling.set(CUDNN_ATTR_RESAMPLE_MODE, CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING);
    resampling.set(CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_ZERO_PAD);
    resampling.set(CUDNN_ATTR_RESAMPLE_COMP_TYPE,
                   *cudnn_type_of(compute_dtype(operands[0].dtype())));
    resampling.set(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, int64_t(window.stride.size()));
    resampling.set_all<int64_t>(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, window.before);
    resampling.set_all<int64_t>(CUDNN_ATTR_RESAMPLE_POST_PADDINGS, window.after);
    resampling.set_all<int64_t>(CUDNN_ATTR_RESAMPLE_STRIDES, window.stride);
    resampling.set_all<int64_t>(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, window.size);
    resampling.finalize();

    const bool forward = role == LibraryRole::average_pooling;
    Operation parts;
    for (size_t i = 0; i < operands.size(); ++i)
        parts.push_back(tensor_of(int64_t(i), operands[i]));
    Descriptor operation(forward ? CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR
                                 : CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR);
    operation.set(forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC
                          : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC,
                  parts[0]);
    operation.set(forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC
                          : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC,
                  parts[1]);
    if (!forward) {  // Its engines take no gradient without x and y.
        operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC, parts[2]);
        operation.set(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC, parts[3]);
    }
    operation.set(
        forward ? CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC : CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC,
        resampling);
    operation.finalize();
    parts.push_back(std::move(resampling));
    parts.push_back(std::move(operation));
    return parts;
}

}  // namespace

bool is_window_role(LibraryRole role) {
    return is_convolution(role) || role == LibraryRole::average_pooling ||
           role == LibraryRole::average_pooling_gradient;
}

bool takes_windows(const KernelCall& call) {
    for (const Array& x : call.inputs)
        if (x.dtype() != call.outputs[0].dtype()) return false;
    const LibraryRole role = library_role_of(call.op);
    const Window window = window_of(role, arrays_of(call), call.attributes);
    return window.fits && engines_are_sound(role, window);
}

Operands window_operands(const KernelCall& call) {
    Operands operands;
    for (const Array* array : arrays_of(call)) operands.push_back(widened(*array));
    return operands;
}

Operation window_operation(LibraryRole role, const Operands& operands,
                           const Attributes& attributes) {
    std::vector<const Array*> arrays;
    for (const Array& array : operands) arrays.push_back(&array);
    const Window window = window_of(role, arrays, attributes);
    return is_convolution(role) ? convolution_operation(role, operands, window)
                                : pooling_operation(role, operands, window);
}

}  // namespace catena::cuda

#endif
