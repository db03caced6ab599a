#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/core/array/shape.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/onednn/onednn.h"

namespace catena {

/// Sizes and dtype of one convolution in oneDNN's terms; also the key of the cache of primitives.
struct ConvolutionSizes {
    dnnl::memory::dims x, W, y, stride, pad, pad_end, dilate;
    /// Channels of the array that y is a slice of, from which its batch stride follows.
    int64_t y_channels;
    MemoryOrder x_order = MemoryOrder::row_major, y_order = MemoryOrder::row_major;
    /// The dtype: float32; or bfloat16, except for a bias and the weights' gradient, which are
    /// float32 always.
    Dtype dtype = Dtype::float32;
    /// Whether results are clipped to [lowest, highest] (forward). oneDNN turns NaN into the lower
    /// bound, so only for operands that cannot give NaN.
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
    /// The primitive for a direction and sizes, made once in a process because oneDNN generates
    /// code for it. One that is made for one thread runs on the caller's alone. Otherwise, and not
    /// towards weights, it may be for one image: then each of `images` is computed on one thread.
    static std::shared_ptr<const ConvolutionPrimitive> find(ConvolutionDirection direction,
                                                            const ConvolutionSizes& sizes,
                                                            bool on_one_thread = false);

    dnnl::primitive primitive;
    int a_argument = 0, b_argument = 0, result_argument = 0;
    onednn::Tensor a, b, result;
    dnnl::memory::desc scratchpad, bias;
    bool has_bias = false;
    /// Whether oneDNN has only its plain loops for these sizes and this dtype.
    bool is_slow = false;
    /// How many times it has to run, once for each image; 0: it computes all images at once.
    int64_t images = 0;
    /// Bytes from an image to the next, in a and in the result.
    size_t a_step = 0, result_step = 0;
};

}  // namespace catena
