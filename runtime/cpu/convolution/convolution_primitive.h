#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/core/array/shape.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/onednn/onednn.h"

namespace catena {

/// Sizes and dtype of one convolution in oneDNN's terms; also the key of the cache of primitives.
struct ConvolutionSizes {
    dnnl::memory::dims x, W, y, stride, pad, pad_end, dilate;
    /// Channels of the array that y is a slice of: what its batch stride follows from.
    int64_t y_channels;
    MemoryOrder x_order = MemoryOrder::row_major, y_order = MemoryOrder::row_major;
    /// float32; or bfloat16, but for a bias and the weights' gradient, which are float32 always.
    Dtype dtype = Dtype::float32;
    /// Results are clipped to [lowest, highest] (forwards). oneDNN makes the lower bound of NaN:
    /// only for operands that cannot give it.
    bool clips = false;
    float lowest = 0, highest = 0;

    ConvolutionSizes(const Shape& x_shape, const Shape& W_shape, const Shape& y_shape,
                     const WindowSteps& steps);
    std::vector<int64_t> key() const;
    bool has_groups() const { return W.size() > x.size(); }
};

/// A convolution or one of its gradients in oneDNN, with sums in float32 and the layouts that
/// oneDNN chose inside. Weights are row-major outside. The inputs a and b are x and W (forward), gy
/// and W (data), x and gy (weights). ConvolutionCall runs it.
struct ConvolutionPrimitive {
    /// Made once a process for each direction and sizes: oneDNN generates code. What is made for
    /// one thread runs on the caller's alone. Else, and not towards weights, it may be for one
    /// image: then each of `images` is computed on one thread.
    static std::shared_ptr<const ConvolutionPrimitive> find(ConvolutionDirection direction,
                                                            const ConvolutionSizes& sizes,
                                                            bool on_one_thread = false);

    dnnl::primitive primitive;
    int a_argument = 0, b_argument = 0, result_argument = 0;
    onednn::Tensor a, b, result;
    dnnl::memory::desc scratchpad, bias;
    bool has_bias = false;
    bool is_slow = false;  ///< oneDNN has only its plain loops for these sizes and this dtype.
    int64_t images = 0;    ///< How often it has to run; 0: it is for all images at once.
    size_t a_step = 0, result_step = 0;  ///< Bytes from an image to the next.
};

}  // namespace catena
