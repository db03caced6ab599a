#include "runtime/cpu/convolution/tailed_convolution.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "runtime/core/array/in_order.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/convolution/epilogue_pass.h"
#include "runtime/cpu/convolution/library_convolution.h"

namespace catena {
namespace {

std::atomic<int64_t> runs_in_library = 0, runs_direct = 0, runs_ours = 0;

/// Counts a run that clipped by how it did: Winograd's method is not counted.
void count(const FloatConvolution::Taken& taken) {
    if (taken.in_pass)
        ++runs_ours;
    else if (taken.way == &library_way())
        ++runs_in_library;
    else if (taken.way == &direct_way() || taken.way == &depthwise_way())
        ++runs_direct;
}

}  // namespace

Array ordered_like(const Array& other, const Array& y) {
    if (!other.defined() || memory_order(other.shape(), other.strides()) == order_of(y))
        return other;
    const Array made =
        Array::empty({Dtype::float32, y.shape()}, y.device()).view(y.shape(), y.strides(), 0);
    copy_elements(other, made);
    return made;
}

TailRuns tail_runs() { return {runs_in_library, runs_direct, runs_ours}; }

void TailedConvolution::read(const Array& from, float otherwise, int64_t channels,
                             std::vector<float>& to) {
    to.assign(size_t(channels), otherwise);
    if (!from.defined()) return;
    const Array dense = from.as_contiguous();
    std::memcpy(to.data(), dense.elements<float>(), size_t(channels) * sizeof(float));
}

TailEpilogue TailedConvolution::open_tail(const Operands& o, const Array& other, int64_t channels) {
    read(o.before, 0, channels, before_);
    read(o.scale, 1, channels, scale_);
    read(o.shift, 0, channels, shift_);
    TailEpilogue tail{
        .numbers = {before_.data(), scale_.data(), shift_.data(),
                    other.defined() ? other.elements<float>() : nullptr, o.lowest, o.highest},
        .adds = o.before.defined() || o.shift.defined(),
        .scales = o.scale.defined(),
        .gives_nan = std::isnan(o.lowest) || std::isnan(o.highest),
        .range = o.range};
    if (!tail.gives_nan) return tail;
    std::ranges::fill(shift_, std::numeric_limits<float>::quiet_NaN());
    tail.numbers.lowest = ConvolutionTail().lowest;
    tail.numbers.highest = ConvolutionTail().highest;
    return tail;
}

float TailedConvolution::run(const Operands& o, const Array& y, std::span<std::byte> scratch) {
    if (y.size() == 0) return 0;
    const Array other = ordered_like(o.other, y);
    TailEpilogue tail = open_tail(o, other, y.dim(1));
    const Epilogue epilogue{.bias = {}, .tail = &tail};
    FloatConvolution::Taken taken{nullptr, true};
    if (is_float_convolution(ConvolutionDirection::forward, o.x, o.W, Array(), y)) {
        taken = convolution_.run(
            {ConvolutionDirection::forward, steps_, o.x, o.W, y, epilogue, scratch});
    } else {
        convolve(o.x, o.W, Array(), steps_, y);
        apply_epilogue(epilogue, y);
    }
    if (tail.numbers.clips()) count(taken);
    return tail.largest;
}

}  // namespace catena
