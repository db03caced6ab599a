#include "runtime/cpu/convolution/convolution_kernel.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/error.h"
#include "runtime/core/memory_order.h"
#include "runtime/cpu/product/bfloat16.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/convolution/convolution_weights.h"
#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {
namespace {

/// Calls f(x index, W index, y index) for every multiplication of the convolution: the definition,
/// for dtypes that oneDNN does not know. Parallel over nothing; y varies slowest.
template <class F>
void for_each_product(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps,
                      F&& f) {
    int64_t xs[3] = {1, 1, 1}, ks[3] = {1, 1, 1}, ys[3] = {1, 1, 1};
    int64_t stride[3] = {1, 1, 1}, pad[3] = {}, dilate[3] = {1, 1, 1};
    int lead = 3 - (x.rank() - 2);
    for (int i = 0; i < x.rank() - 2; ++i) {
        xs[lead + i] = x[i + 2], ks[lead + i] = W[i + 2], ys[lead + i] = y[i + 2];
        stride[lead + i] = steps.stride[i], pad[lead + i] = steps.pad[i],
                      dilate[lead + i] = steps.dilate[i];
    }
    int64_t in_group = W[1], out_group = W[0] / steps.groups;
    for (int64_t n = 0; n < y[0]; ++n)
        for (int64_t o = 0; o < y[1]; ++o)
            for (int64_t p = 0; p < ys[0] * ys[1] * ys[2]; ++p) {
                int64_t at[3] = {p / (ys[1] * ys[2]), p / ys[2] % ys[1], p % ys[2]};
                int64_t y_index = (n * y[1] + o) * ys[0] * ys[1] * ys[2] + p;
                for (int64_t c = 0; c < in_group; ++c)
                    for (int64_t k = 0; k < ks[0] * ks[1] * ks[2]; ++k) {
                        int64_t tap[3] = {k / (ks[1] * ks[2]), k / ks[2] % ks[1], k % ks[2]};
                        int64_t x_index = n * x[1] + o / out_group * in_group + c;
                        bool inside = true;
                        for (int i = 0; i < 3; ++i) {
                            int64_t position = at[i] * stride[i] - pad[i] + tap[i] * dilate[i];
                            inside &= position >= 0 && position < xs[i];
                            x_index = x_index * xs[i] + position;
                        }
                        if (inside)
                            f(x_index, (o * in_group + c) * ks[0] * ks[1] * ks[2] + k, y_index);
                    }
            }
}

bool any_empty(const Array& a, const Array& b) { return a.size() == 0 || b.size() == 0; }

Array as_row_major(const Array& array, Dtype dtype) {
    return array.defined() ? array.astype(dtype).as_contiguous() : array;
}

/// The same in whichever of the two memory orders it is.
Array readable(const Array& array, Dtype dtype) {
    Array converted = array.astype(dtype);
    const bool is_ordered = memory_order(converted.shape(), converted.strides()).has_value();
    return is_ordered && dtype != Dtype::float64 ? converted : converted.as_contiguous();
}

MemoryOrder order_of(const Array& array) {
    return memory_order(array.shape(), array.strides()).value_or(MemoryOrder::row_major);
}

ConvolutionSizes sizes_of(const Array& x, const Shape& W, const Array& y, const WindowSteps& steps) {
    ConvolutionSizes sizes(x.shape(), W, y.shape(), steps);
    sizes.x_order = order_of(x);
    sizes.y_order = order_of(y);
    sizes.dtype = x.dtype();
    return sizes;
}

bool all_bfloat16(const Array& a, const Array& b, const Array& c) {
    const auto is = [](const Array& array) { return array.dtype() == Dtype::bfloat16 && array.size() > 0; };
    return has_bfloat16_products() && is(a) && is(b) && is(c);
}

/// Whether the library computes this as fast as it can.
bool is_fast(ConvolutionDirection direction, const ConvolutionSizes& sizes) {
    return !ConvolutionPrimitive::find(direction, sizes)->is_slow;
}

// The same three from bfloat16 arrays as they are. False, and nothing done, where widening them is faster.

bool convolve_bfloat16(const Array& x, const Array& W, const Array& b, const WindowSteps& steps, const Array& y) {
    if (!all_bfloat16(x, W, y)) return false;
    const auto direction = b.defined() ? ConvolutionDirection::forward_bias : ConvolutionDirection::forward;
    const Array from = readable(x, Dtype::bfloat16);
    const ConvolutionSizes sizes = sizes_of(from, W.shape(), y, steps);
    if (!is_fast(direction, sizes)) return false;
    const Array bias = as_row_major(b, Dtype::float32);
    ConvolutionCall(ConvolutionPrimitive::find(direction, sizes))
        .run(from.elements(), W.as_contiguous(), bias.defined() ? bias.elements<float>() : nullptr, y.to_fill(), {});
    return true;
}

bool convolve_data_bfloat16(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx) {
    if (!all_bfloat16(gy, W, gx)) return false;
    const Array from = readable(gy, Dtype::bfloat16);
    const ConvolutionSizes sizes = sizes_of(gx, W.shape(), from, steps);
    if (!is_fast(ConvolutionDirection::data, sizes)) return false;
    ConvolutionCall(ConvolutionPrimitive::find(ConvolutionDirection::data, sizes))
        .run(from.elements(), W.as_contiguous(), nullptr, gx.to_fill(), {});
    return true;
}

bool convolve_weights_bfloat16(const Array& x, const Array& gy, const WindowSteps& steps, const Array& gW) {
    if (!all_bfloat16(x, gy, gW)) return false;
    const Array from = readable(x, Dtype::bfloat16), by = readable(gy, Dtype::bfloat16);
    const ConvolutionSizes sizes = sizes_of(from, gW.shape(), by, steps);
    if (!is_fast(ConvolutionDirection::weights, sizes)) return false;
    const Array sums = Array::empty({Dtype::float32, gW.shape()}, gW.device());
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
    const bool as_it_is = dtype == result.dtype() &&
                          (result.contiguous() || (by_library && dtype == Dtype::float32));
    Array working = as_it_is ? result : Array::empty({dtype, result.shape()}, result.device());
    f(dtype, working);
    if (!(working == result)) copy_elements(working, result);
}

void fill_zero(const Array& array) {
    std::memset(array.to_fill(), 0, size_t(array.size()) * size_of(array.dtype()));
}

}  // namespace

void convolve(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
              const Array& y) {
    if (convolve_bfloat16(x, W, b, steps, y)) return;
    in_working_dtype(y, !any_empty(x, W), [&](Dtype dtype, const Array& result) {
        Array from = readable(x, dtype), by = as_row_major(W, dtype),
              bias = as_row_major(b, dtype);
        if (dtype == Dtype::float32 && !any_empty(x, W))
            return FloatConvolution(ConvolutionDirection::forward, steps).run(from, by, bias, result);
        fill_zero(result);
        visit_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            T* sums = result.to_fill<T>();
            int64_t per_channel = result.size() / (y.dim(0) * y.dim(1));
            if (bias.defined())
                for (int64_t i = 0; i < result.size(); ++i)
                    sums[i] = bias.elements<T>()[i / per_channel % y.dim(1)];
            const T *px = from.elements<T>(), *pw = by.elements<T>();
            for_each_product(x.shape(), W.shape(), y.shape(), steps,
                             [&](int64_t ix, int64_t iw, int64_t iy) {
                                 sums[iy] = T(sums[iy] + px[ix] * pw[iw]);
                             });
        });
    });
}

void convolve_data(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx) {
    if (convolve_data_bfloat16(gy, W, steps, gx)) return;
    in_working_dtype(gx, !any_empty(gy, W), [&](Dtype dtype, const Array& result) {
        Array from = readable(gy, dtype), by = as_row_major(W, dtype);
        if (dtype == Dtype::float32 && !any_empty(gy, W))
            return FloatConvolution(ConvolutionDirection::data, steps).run(from, by, Array(), result);
        fill_zero(result);
        visit_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            T* sums = result.to_fill<T>();
            const T *pg = from.elements<T>(), *pw = by.elements<T>();
            for_each_product(gx.shape(), W.shape(), gy.shape(), steps,
                             [&](int64_t ix, int64_t iw, int64_t iy) {
                                 sums[ix] = T(sums[ix] + pg[iy] * pw[iw]);
                             });
        });
    });
}

void convolve_weights(const Array& x, const Array& gy, const WindowSteps& steps, const Array& gW) {
    if (convolve_weights_bfloat16(x, gy, steps, gW)) return;
    in_working_dtype(gW, false, [&](Dtype dtype, const Array& result) {
        Array from = readable(x, dtype), by = readable(gy, dtype);
        if (dtype == Dtype::float32 && !any_empty(x, gy))
            return FloatConvolution(ConvolutionDirection::weights, steps).run(from, by, Array(), result);
        fill_zero(result);
        visit_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            T* sums = result.to_fill<T>();
            const T *px = from.elements<T>(), *pg = by.elements<T>();
            for_each_product(x.shape(), gW.shape(), gy.shape(), steps,
                             [&](int64_t ix, int64_t iw, int64_t iy) {
                                 sums[iw] = T(sums[iw] + px[ix] * pg[iy]);
                             });
        });
    });
}

}  // namespace catena
