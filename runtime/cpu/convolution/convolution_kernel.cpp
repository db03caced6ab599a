#include "runtime/cpu/convolution/convolution_kernel.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/system/error.h"
#include "runtime/core/array/in_order.h"
#include "runtime/cpu/product/bfloat16.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/convolution_weights.h"
#include "runtime/cpu/convolution/double_convolution.h"
#include "runtime/cpu/convolution/repeated_convolution.h"
#include "runtime/profile/method_span.h"

namespace catena {
namespace {

/// Methods, as profiles show them.
constexpr const char *in_bfloat16 = "library, of bfloat16", *in_doubles = "float64 as products";

bool any_empty(const Array& a, const Array& b) { return a.size() == 0 || b.size() == 0; }

Array as_row_major(const Array& array, Dtype dtype) {
    return array.defined() ? array.astype(dtype).as_contiguous() : array;
}

/// The array in the dtype, in whichever of the two memory orders it is.
Array readable(const Array& array, Dtype dtype) {
    Array converted = array.astype(dtype);
    const bool is_ordered = memory_order(converted.shape(), converted.strides()).has_value();
    return is_ordered && dtype != Dtype::float64 ? converted : converted.as_contiguous();
}

ConvolutionSizes sizes_of(const Array& x, const Shape& W, const Array& y,
                          const WindowSteps& steps) {
    ConvolutionSizes sizes(x.shape(), W, y.shape(), steps);
    sizes.x_order = order_of(x);
    sizes.y_order = order_of(y);
    sizes.dtype = x.dtype();
    return sizes;
}

bool all_bfloat16(const Array& a, const Array& b, const Array& c) {
    const auto is = [](const Array& array) {
        return array.dtype() == Dtype::bfloat16 && array.size() > 0;
    };
    return has_bfloat16_products() && is(a) && is(b) && is(c);
}

/// Whether the library computes this as fast as it can.
bool is_fast(ConvolutionDirection direction, const ConvolutionSizes& sizes) {
    return !ConvolutionPrimitive::find(direction, sizes)->is_slow;
}

// The same three from bfloat16 arrays as they are. False, and nothing done, where widening them is
// faster.

bool convolve_bfloat16(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
                       const Array& y) {
    if (!all_bfloat16(x, W, y)) return false;
    const auto direction =
        b.defined() ? ConvolutionDirection::forward_bias : ConvolutionDirection::forward;
    const Array from = readable(x, Dtype::bfloat16);
    const ConvolutionSizes sizes = sizes_of(from, W.shape(), y, steps);
    if (!is_fast(direction, sizes)) return false;
    const Array bias = as_row_major(b, Dtype::float32);
    const profile::MethodSpan span(work_of(direction), in_bfloat16);
    ConvolutionCall(ConvolutionPrimitive::find(direction, sizes))
        .run(from.elements(), W.as_contiguous(), bias.defined() ? bias.elements<float>() : nullptr,
             y.to_fill(), {});
    return true;
}

bool convolve_data_bfloat16(const Array& gy, const Array& W, const WindowSteps& steps,
                            const Array& gx) {
    if (!all_bfloat16(gy, W, gx)) return false;
    const Array from = readable(gy, Dtype::bfloat16);
    const ConvolutionSizes sizes = sizes_of(gx, W.shape(), from, steps);
    if (!is_fast(ConvolutionDirection::data, sizes)) return false;
    const profile::MethodSpan span(work_of(ConvolutionDirection::data), in_bfloat16);
    ConvolutionCall(ConvolutionPrimitive::find(ConvolutionDirection::data, sizes))
        .run(from.elements(), W.as_contiguous(), nullptr, gx.to_fill(), {});
    return true;
}

bool convolve_weights_bfloat16(const Array& x, const Array& gy, const WindowSteps& steps,
                               const Array& gW) {
    if (!all_bfloat16(x, gy, gW)) return false;
    const Array from = readable(x, Dtype::bfloat16), by = readable(gy, Dtype::bfloat16);
    const ConvolutionSizes sizes = sizes_of(from, gW.shape(), by, steps);
    if (!is_fast(ConvolutionDirection::weights, sizes)) return false;
    const Array sums = Array::empty({Dtype::float32, gW.shape()}, gW.device());
    const profile::MethodSpan span(work_of(ConvolutionDirection::weights), in_bfloat16);
    ConvolutionWeights(sizes).run(from.elements(), by.elements(), sums.to_fill<float>(), {});
    copy_elements(sums, gW);
    return true;
}

/// Gives f arrays in float32 or float64 and stores what it wrote.
/// `by_library`: f may be given a float32 array with its channels last.
template <class F>
void in_working_dtype(const Array& result, bool by_library, F&& f) {
    Dtype dtype = result.dtype() == Dtype::float64 ? Dtype::float64 : Dtype::float32;
    if (result.size() == 0) return;
    const bool as_it_is =
        dtype == result.dtype() && (result.contiguous() || (by_library && dtype == Dtype::float32));
    Array working = as_it_is ? result : Array::empty({dtype, result.shape()}, result.device());
    f(dtype, working);
    if (!(working == result)) copy_elements(working, result);
}

void run(ConvolutionDirection direction, const WindowSteps& steps, const Array& a, const Array& b,
         const Array& bias, const Array& result) {
    run_repeated_convolution({direction, steps, a, b, result, Epilogue{.bias = bias}});
}

void fill_zero(const Array& array) {
    std::memset(array.to_fill(), 0, size_t(array.size()) * size_of(array.dtype()));
}

/// y [images, channels, ...] becomes b [channels].
void fill_channels(const Array& b, const Array& y) {
    const int64_t per_channel = y.size() / (y.dim(0) * y.dim(1));
    visit_dtype(y.dtype(), [&](auto zero) {
        using T = decltype(zero);
        T* const to = y.to_fill<T>();
        for (int64_t i = 0; i < y.size(); ++i) to[i] = b.elements<T>()[i / per_channel % y.dim(1)];
    });
}

}  // namespace

void convolve(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
              const Array& y) {
    if (convolve_bfloat16(x, W, b, steps, y)) return;
    in_working_dtype(y, !any_empty(x, W), [&](Dtype dtype, const Array& result) {
        Array from = readable(x, dtype), by = as_row_major(W, dtype), bias = as_row_major(b, dtype);
        if (dtype == Dtype::float32 && !any_empty(x, W))
            return run(ConvolutionDirection::forward, steps, from, by, bias, result);
        if (bias.defined())
            fill_channels(bias, result);
        else if (any_empty(x, W))
            fill_zero(result);
        if (any_empty(x, W)) return;
        const profile::MethodSpan span(work_of(ConvolutionDirection::forward), in_doubles);
        convolve_doubles(from, by, steps, result, bias.defined());
    });
}

void convolve_data(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx) {
    if (convolve_data_bfloat16(gy, W, steps, gx)) return;
    in_working_dtype(gx, !any_empty(gy, W), [&](Dtype dtype, const Array& result) {
        Array from = readable(gy, dtype), by = as_row_major(W, dtype);
        if (dtype == Dtype::float32 && !any_empty(gy, W))
            return run(ConvolutionDirection::data, steps, from, by, Array(), result);
        if (any_empty(gy, W)) return fill_zero(result);
        const profile::MethodSpan span(work_of(ConvolutionDirection::data), in_doubles);
        convolve_data_doubles(from, by, steps, result);
    });
}

void convolve_weights(const Array& x, const Array& gy, const WindowSteps& steps, const Array& gW) {
    if (convolve_weights_bfloat16(x, gy, steps, gW)) return;
    in_working_dtype(gW, false, [&](Dtype dtype, const Array& result) {
        Array from = readable(x, dtype), by = readable(gy, dtype);
        if (dtype == Dtype::float32 && !any_empty(x, gy))
            return run(ConvolutionDirection::weights, steps, from, by, Array(), result);
        if (any_empty(x, gy)) return fill_zero(result);
        const profile::MethodSpan span(work_of(ConvolutionDirection::weights), in_doubles);
        convolve_weights_doubles(from, by, steps, result);
    });
}

}  // namespace catena
