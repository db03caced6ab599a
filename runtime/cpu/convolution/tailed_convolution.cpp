#include "runtime/cpu/convolution/tailed_convolution.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "runtime/core/array/in_order.h"
#include "runtime/cpu/convolution/convolution_kernel.h"
#include "runtime/cpu/convolution/direct/direct_convolution.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/convolution/tail_weights.h"
#include "runtime/cpu/convolution/winograd/winograd.h"

namespace catena {
namespace {

/// Far enough from the largest float32 for rounding and for partial sums in any order.
constexpr double largest_sum = 1e37;
/// Results are rounded, by tiles a little more.
constexpr double rounding = 1.01;
/// Weights are not kept earlier (runtime/cpu/onednn/packed.cpp), so nothing needs to be prepared
/// for them.
constexpr int runs_before_library = 4;
/// Bounds that change again and again are no reason to generate code again and again.
constexpr int most_preparations = 2;

std::atomic<int64_t> runs_in_library = 0, runs_direct = 0, runs_ours = 0;

/// Largest magnitude of min(max(v, lowest), highest) for |v| <= largest.
double clipped(double largest, const ConvolutionTail& tail) {
    const auto clip = [&](double v) {
        return std::min(std::max(v, double(tail.lowest)), double(tail.highest));
    };
    return std::max(std::abs(clip(largest)), std::abs(clip(-largest)));
}

bool takes_floats(const TailedConvolution::Operands& o, const Array& y) {
    return is_float_convolution(ConvolutionDirection::forward, o.x, o.W, Array(), y);
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

size_t TailedConvolution::scratch_bytes() const {
    return std::max(convolution_.scratch_bytes(),
                    call_ ? call_->a_bytes() + call_->execute_bytes() : 0);
}

void TailedConvolution::read(const Array& from, float otherwise, int64_t channels,
                             std::vector<float>& to) {
    to.assign(size_t(channels), otherwise);
    if (!from.defined()) return;
    const Array dense = from.as_contiguous();
    std::memcpy(to.data(), dense.elements<float>(), size_t(channels) * sizeof(float));
}

/// What bounds that are NaN give.
void TailedConvolution::make_nan(ConvolutionTail& tail) {
    std::ranges::fill(shift_, std::numeric_limits<float>::quiet_NaN());
    tail.lowest = ConvolutionTail().lowest;
    tail.highest = ConvolutionTail().highest;
}

ConvolutionTail TailedConvolution::open_tail(const Operands& o, const Array& other,
                                             int64_t channels) {
    read(o.before, 0, channels, before_);
    read(o.scale, 1, channels, scale_);
    read(o.shift, 0, channels, shift_);
    ConvolutionTail tail{before_.data(), scale_.data(),
                         shift_.data(),  other.defined() ? other.elements<float>() : nullptr,
                         o.lowest,       o.highest};
    if (std::isnan(o.lowest) || std::isnan(o.highest)) make_nan(tail);
    return tail;
}

float TailedConvolution::run(const Operands& o, const Array& y, std::span<std::byte> scratch) {
    if (y.size() == 0) return 0;
    const Array other = ordered_like(o.other, y);
    const ConvolutionTail tail = open_tail(o, other, y.dim(1));
    ++runs_;
    if (takes_floats(o, y)) {
        float largest = 0;
        if (convolve_by_tiles(o.x, o.W, tail, steps_, y, largest)) return largest;
        std::optional<float> found;
        if (is_direct_fastest(o.x, o.W, tail)) found = convolve_directly(o.x, o.W, tail, steps_, y);
        if (!found) found = convolve_depthwise(o.x, o.W, tail, steps_, y);
        if (found) {
            runs_direct += tail.clips();
            return *found;
        }
        if (const std::optional<float> range = run_in_library(o, tail, y, scratch)) {
            runs_in_library += tail.clips();
            return *range;
        }
        convolution_.run(o.x, o.W, Array(), y, scratch);
    } else {
        convolve(o.x, o.W, Array(), steps_, y);
    }
    runs_ours += tail.clips();
    return apply_tail(tail, y);
}

std::optional<float> TailedConvolution::run_in_library(const Operands& o,
                                                       const ConvolutionTail& tail, const Array& y,
                                                       std::span<std::byte> scratch) {
    if (tail.other || std::isnan(o.lowest) || std::isnan(o.highest)) return std::nullopt;
    if ((runs_ <= runs_before_library && !o.scale.defined()) || !prepare(o, tail, y))
        return std::nullopt;
    const TailWeights weights =
        TailWeights::find(*call_, *primitive_, o.W, o.scale.defined() ? scale_.data() : nullptr);
    if (!weights.elements) return std::nullopt;
    const double added = join_additions(o);
    if (!(added <= largest_sum)) return std::nullopt;
    const auto sums = [&](double range) {
        return rounding * (range * weights.scaled_bound + added);
    };
    const auto is_proven = [&](double range) {
        return sums(range) <= largest_sum &&
               rounding * range * weights.bound <= largest_sum;  // False for NaN.
    };
    double range = o.range;
    if (tail.clips() || o.scale.defined()) {
        if (!is_proven(range) && o.x.size() <= y.size()) range = largest_magnitude(o.x);
        if (!is_proven(range)) return std::nullopt;
    }
    Scratch memory(scratch, call_->a_bytes() + call_->execute_bytes());
    const void* const x = call_->open_a(o.x.elements(), memory.take(call_->a_bytes()));
    call_->execute(x, weights.elements, primitive_->has_bias ? bias_.data() : nullptr,
                   y.to_fill<float>(), memory.take(call_->execute_bytes()));
    return is_proven(range) ? float(rounding * clipped(sums(range), tail))
                            : std::numeric_limits<float>::infinity();
}

bool TailedConvolution::prepare(const Operands& o, const ConvolutionTail& tail, const Array& y) {
    // Row-major images have ways of their own (FloatConvolution), and bounds may be out of order.
    if (order_of(y) != MemoryOrder::channels_last || !(tail.lowest <= tail.highest)) return false;
    if (call_ && lowest_ == tail.lowest && highest_ == tail.highest) return true;
    if (preparations_ == most_preparations) return false;
    ++preparations_;
    lowest_ = tail.lowest, highest_ = tail.highest;
    ConvolutionSizes sizes(o.x.shape(), o.W.shape(), y.shape(), steps_);
    sizes.x_order = order_of(o.x);
    sizes.y_order = MemoryOrder::channels_last;
    sizes.clips = tail.clips();
    if (sizes.clips) sizes.lowest = tail.lowest, sizes.highest = tail.highest;
    const bool adds = o.before.defined() || o.shift.defined();
    primitive_ = ConvolutionPrimitive::find(
        adds ? ConvolutionDirection::forward_bias : ConvolutionDirection::forward, sizes);
    call_.emplace(primitive_);
    return true;
}

double TailedConvolution::join_additions(const Operands& o) {
    if (!o.before.defined() && !o.shift.defined()) return 0;
    bias_.resize(before_.size());
    double largest = 0;
    for (size_t c = 0; c < bias_.size(); ++c) {
        bias_[c] = before_[c] * scale_[c] + shift_[c];
        const double added =
            std::abs(double(before_[c])) * std::max(1.0, std::abs(double(scale_[c]))) +
            std::abs(double(shift_[c]));
        if (!(added <= largest)) largest = added;
        if (std::isnan(largest)) break;
    }
    return largest;
}

}  // namespace catena
