#include "runtime/cpu/convolution/float_convolution.h"

#include <algorithm>

#include "runtime/core/array/in_order.h"
#include "runtime/cpu/convolution/patch_convolution.h"
#include "runtime/cpu/convolution/winograd/phase_convolution.h"
#include "runtime/cpu/convolution/pointwise_convolution.h"
#include "runtime/cpu/convolution/winograd/two_by_two.h"
#include "runtime/cpu/convolution/winograd/winograd.h"

namespace catena {
namespace {

using Direction = ConvolutionDirection;

ConvolutionSizes sizes_of(const Array& x, const Shape& W, const Array& y,
                          const WindowSteps& steps) {
    ConvolutionSizes sizes(x.shape(), W, y.shape(), steps);
    sizes.x_order = order_of(x);
    sizes.y_order = order_of(y);
    return sizes;
}

bool fits(const Array& array, bool is_image) {
    if (array.dtype() != Dtype::float32 || array.size() == 0) return false;
    return array.contiguous() || (is_image && memory_order(array.shape(), array.strides()));
}

}  // namespace

bool is_float_convolution(Direction direction, const Array& a, const Array& b, const Array& bias,
                          const Array& result) {
    const bool gives_weights = direction == Direction::weights;
    return fits(a, true) && fits(b, gives_weights) && fits(result, !gives_weights) &&
           (!bias.defined() || fits(bias, false));
}

void FloatConvolution::run(const Array& a, const Array& b, const Array& bias, const Array& result,
                           std::span<std::byte> scratch) {
    if (!has_run_) lanes_ = LaneConvolution::find(direction_, a, b, result, steps_);
    has_run_ = true;
    if (run_without_onednn(a, b, bias, result, scratch)) return;
    if (!call_ && !weights_) prepare(a, b, bias, result);
    const float* const from = a.elements<float>();
    float* const to = result.to_fill<float>();
    if (weights_) return weights_->run(from, b.elements<float>(), to, scratch);
    call_->run(from, b, bias.defined() ? bias.elements<float>() : nullptr, to, scratch);
}

size_t FloatConvolution::scratch_bytes() const {
    const size_t for_lanes = lanes_ ? lanes_->scratch_bytes() : 0;
    return std::max(for_lanes, call_      ? call_->scratch_bytes()
                               : weights_ ? weights_->scratch_bytes()
                                          : 0);
}

bool FloatConvolution::run_without_onednn(const Array& a, const Array& b, const Array& bias,
                                          const Array& result, std::span<std::byte> scratch) const {
    if (lanes_ && lanes_->run(a, b, bias, result, scratch)) return true;
    switch (direction_) {
        case Direction::data:
            return convolve_data_as_product(a, b, steps_, result) ||
                   convolve_data_by_tiles(a, b, steps_, result) ||
                   convolve_data_by_phases(a, b, steps_, result) ||
                   convolve_data_two_by_two(a, b, steps_, result) ||
                   convolve_data_by_patches(a, b, steps_, result);
        case Direction::weights:
            return convolve_weights_as_product(a, b, steps_, result) ||
                   convolve_weights_by_tiles(a, b, steps_, result) ||
                   convolve_weights_by_phases(a, b, steps_, result) ||
                   convolve_weights_two_by_two(a, b, steps_, result);
        default:
            return convolve_as_product(a, b, bias, steps_, result) ||
                   convolve_by_tiles(a, b, bias, steps_, result) ||
                   convolve_by_phases(a, b, bias, steps_, result) ||
                   convolve_two_by_two(a, b, bias, steps_, result);
    }
}

void FloatConvolution::prepare(const Array& a, const Array& b, const Array& bias,
                               const Array& result) {
    switch (direction_) {
        case Direction::data:
            call_.emplace(
                ConvolutionPrimitive::find(direction_, sizes_of(result, b.shape(), a, steps_)));
            return;
        case Direction::weights:
            weights_.emplace(sizes_of(a, result.shape(), b, steps_));
            return;
        default:
            call_.emplace(ConvolutionPrimitive::find(
                bias.defined() ? Direction::forward_bias : Direction::forward,
                sizes_of(a, b.shape(), result, steps_)));
    }
}

}  // namespace catena
