#include "runtime/cpu/convolution/library_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/core/array/in_order.h"
#include "runtime/cpu/convolution/tail/apply_tail.h"
#include "runtime/cpu/convolution/tail_weights.h"
#include "runtime/cpu/scratch.h"

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

/// Largest magnitude of min(max(v, lowest), highest) for |v| <= largest.
double clipped(double largest, const ConvolutionTail& tail) {
    const auto clip = [&](double v) {
        return std::min(std::max(v, double(tail.lowest)), double(tail.highest));
    };
    return std::max(std::abs(clip(largest)), std::abs(clip(-largest)));
}

}  // namespace

bool LibraryTail::run(const ConvolutionTask& t) {
    TailEpilogue& epilogue = *t.epilogue.tail;
    const ConvolutionTail& tail = epilogue.numbers;
    ++runs_;
    if (epilogue.gives_nan) return false;
    if ((runs_ <= runs_before_library && !epilogue.scales) || !prepare(t)) return false;
    const TailWeights weights =
        TailWeights::find(*call_, *primitive_, t.b, epilogue.scales ? tail.scale : nullptr);
    if (!weights.elements) return false;
    const double added = join_additions(epilogue, t.result.dim(1));
    if (!(added <= largest_sum)) return false;
    const auto sums = [&](double range) {
        return rounding * (range * weights.scaled_bound + added);
    };
    const auto is_proven = [&](double range) {
        return sums(range) <= largest_sum &&
               rounding * range * weights.bound <= largest_sum;  // False for NaN.
    };
    double range = epilogue.range;
    if (tail.clips() || epilogue.scales) {
        if (!is_proven(range) && t.a.size() <= t.result.size()) range = largest_magnitude(t.a);
        if (!is_proven(range)) return false;
    }
    Scratch memory(t.scratch, call_->a_bytes() + call_->execute_bytes());
    const void* const x = call_->open_a(t.a.elements(), memory.take(call_->a_bytes()));
    call_->execute(x, weights.elements, primitive_->has_bias ? bias_.data() : nullptr,
                   t.result.to_fill<float>(), memory.take(call_->execute_bytes()));
    epilogue.largest = is_proven(range) ? float(rounding * clipped(sums(range), tail))
                                        : std::numeric_limits<float>::infinity();
    return true;
}

bool LibraryTail::prepare(const ConvolutionTask& t) {
    const TailEpilogue& epilogue = *t.epilogue.tail;
    const ConvolutionTail& tail = epilogue.numbers;
    if (!(tail.lowest <= tail.highest)) return false;
    if (call_ && lowest_ == tail.lowest && highest_ == tail.highest) return true;
    if (preparations_ == most_preparations) return false;
    ++preparations_;
    lowest_ = tail.lowest, highest_ = tail.highest;
    ConvolutionSizes sizes(t.a.shape(), t.b.shape(), t.result.shape(), t.steps);
    sizes.x_order = order_of(t.a);
    sizes.y_order = MemoryOrder::channels_last;
    sizes.clips = tail.clips();
    if (sizes.clips) sizes.lowest = tail.lowest, sizes.highest = tail.highest;
    primitive_ = ConvolutionPrimitive::find(
        epilogue.adds ? ConvolutionDirection::forward_bias : ConvolutionDirection::forward, sizes);
    call_.emplace(primitive_);
    return true;
}

double LibraryTail::join_additions(const TailEpilogue& epilogue, int64_t channels) {
    if (!epilogue.adds) return 0;
    const ConvolutionTail& tail = epilogue.numbers;
    bias_.resize(size_t(channels));
    double largest = 0;
    for (size_t c = 0; c < bias_.size(); ++c) {
        bias_[c] = tail.before[c] * tail.scale[c] + tail.shift[c];
        const double added =
            std::abs(double(tail.before[c])) * std::max(1.0, std::abs(double(tail.scale[c]))) +
            std::abs(double(tail.shift[c]));
        if (!(added <= largest)) largest = added;
        if (std::isnan(largest)) break;
    }
    return largest;
}

}  // namespace catena
