#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/core/array.h"
#include "runtime/cpu/convolution_kernel.h"
#include "runtime/cpu/onednn.h"

namespace catena {

enum class ConvolutionDirection : int64_t { forward, forward_bias, data, weights };

/// Sizes and dtype of one convolution in oneDNN's terms; also the key of the cache of primitives.
struct ConvolutionSizes {
    dnnl::memory::dims x, W, y, stride, pad, pad_end, dilate;
    /// Channels of the array that y is a slice of: what its batch stride follows from.
    int64_t y_channels;
    MemoryOrder x_order = MemoryOrder::row_major, y_order = MemoryOrder::row_major;
    /// float32; or bfloat16, but for a bias and the weights' gradient, which are float32 always.
    Dtype dtype = Dtype::float32;

    ConvolutionSizes(const Shape& x_shape, const Shape& W_shape, const Shape& y_shape,
                     const WindowSteps& steps);
    std::vector<int64_t> key() const;
    bool has_groups() const { return W.size() > x.size(); }
};

/// A convolution or one of its gradients with sums in float32, with the layouts that oneDNN chose
/// inside. Weights are row-major. The inputs a and b are x and W (forward), gy and W (data), x and gy (weights).
class ConvolutionPrimitive {
public:
    /// Made once a process for each direction and sizes: oneDNN generates code. What is made for
    /// one thread runs on the caller's alone.
    static std::shared_ptr<const ConvolutionPrimitive> find(ConvolutionDirection direction,
                                                            const ConvolutionSizes& sizes,
                                                            bool on_one_thread = false);

    /// `bias` may be null. Not for the weights' gradient: W may be kept packed (runtime/cpu/packed.h).
    void run(const void* a, const Array& W, const float* bias, void* result) const;
    /// The input a in the primitive's layout, for several runs; `held` owns the memory.
    dnnl::memory prepare(const void* a, Array& held) const;
    void run(const dnnl::memory& prepared, const void* b, float* result) const;
    /// oneDNN has only its plain loops for these sizes and this dtype.
    bool is_slow() const { return is_slow_; }

private:
    static std::shared_ptr<const ConvolutionPrimitive> make(ConvolutionDirection direction,
                                                            const ConvolutionSizes& sizes);
    void execute(const dnnl::memory& a, const dnnl::memory& b, const float* bias, void* result) const;
    void set(dnnl::primitive primitive, int a_argument, int b_argument, int result_argument,
             onednn::Tensor a, onednn::Tensor b, onednn::Tensor result,
             dnnl::memory::desc scratchpad);

    dnnl::primitive primitive_;
    int a_argument_ = 0, b_argument_ = 0, result_argument_ = 0;
    onednn::Tensor a_, b_, result_;
    dnnl::memory::desc scratchpad_, bias_;
    bool is_slow_ = false;
};

}  // namespace catena
