#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "runtime/core/array/array.h"
#include "runtime/cpu/window_steps.h"
#include "runtime/cpu/convolution/convolution_weights.h"
#include "runtime/cpu/convolution/lanes/lane_convolution.h"

namespace catena {

/// Whether FloatConvolution can take these operands: float32 with elements, images in one of the
/// two memory orders (runtime/core/array/memory_order.h), the others row-major. `bias` may be
/// undefined.
bool is_float_convolution(ConvolutionDirection direction, const Array& a, const Array& b,
                          const Array& bias, const Array& result);

/// A float32 convolution or one of its gradients, by the fastest available method: as matrix
/// products, with images in the lanes of vectors, by tiles, by patches, or by oneDNN. It stores
/// what a run had to prepare, so that later ones look nothing up; all runs must have arrays of the
/// same shapes and strides. For one run at a time.
class FloatConvolution {
public:
    /// `direction` must not be forward_bias: run() is given a bias or not.
    FloatConvolution(ConvolutionDirection direction, const WindowSteps& steps)
        : direction_(direction), steps_(steps) {}

    /// Runs it. a, b and result are x, W and y (forward), gy, W and gx (data), x, gy and gW
    /// (weights). `scratch` has scratch_bytes(); if it is smaller, memory is taken from the pool.
    void run(const Array& a, const Array& b, const Array& bias, const Array& result,
             std::span<std::byte> scratch = {});
    /// Scratch memory in bytes, as far as it is known from earlier runs.
    size_t scratch_bytes() const;

private:
    bool run_without_onednn(const Array& a, const Array& b, const Array& bias, const Array& result,
                            std::span<std::byte> scratch) const;
    void prepare(const Array& a, const Array& b, const Array& bias, const Array& result);

    ConvolutionDirection direction_;
    WindowSteps steps_;
    bool has_run_ = false;
    std::optional<LaneConvolution> lanes_;
    std::optional<ConvolutionCall> call_;
    std::optional<ConvolutionWeights> weights_;
};

}  // namespace catena
