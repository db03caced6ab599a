#include "runtime/cpu/convolution_tail.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/core/memory_order.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/tail_lanes.h"

namespace catena {
namespace {

using V = Vector<float>;
using Lanes = V::Type;

constexpr int64_t elements_a_thread = 16'384;

/// The largest of what threads find, as bits.
void keep_largest(std::atomic<int32_t>& largest, int32_t found) {
    int32_t known = largest.load();
    while (found > known && !largest.compare_exchange_weak(known, found)) {
    }
}

CATENA_INLINE Lanes load(const float* from, int64_t count) {
    if (count >= V::lanes) return V::load(from);
    Lanes v{};
    __builtin_memcpy(&v, from, size_t(count) * sizeof(float));
    return v;
}

CATENA_INLINE void store(float* to, Lanes v, int64_t count) { __builtin_memcpy(to, &v, size_t(std::min(count, V::lanes)) * sizeof(float)); }

/// Rows of one element for each channel.
CATENA_VECTOR_CODE int32_t tail_along_channels(const ConvolutionTail& tail, float* y, const float* other, int64_t rows, int64_t channels) {
    TailLanes lanes(tail);
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t c = 0; c < channels; c += V::lanes) {
            const int64_t at = row * channels + c, count = channels - c;
            Lanes v = (load(y + at, count) + load(tail.before + c, count)) * load(tail.scale + c, count) + load(tail.shift + c, count);
            if (other) v += load(other + at, count);
            v = lanes.clipped(v);
            store(y + at, v, count);
            for (int64_t i = count; i < V::lanes; ++i) v[i] = 0;
            lanes.note(v);
        }
    return lanes.largest_bits();
}

/// Rows of one channel each, the first one of them `channel`.
CATENA_VECTOR_CODE int32_t tail_along_positions(const ConvolutionTail& tail, float* y, const float* other, int64_t channel, int64_t channels,
                                                int64_t rows, int64_t positions) {
    TailLanes lanes(tail);
    for (int64_t row = 0; row < rows; ++row, channel = channel + 1 < channels ? channel + 1 : 0) {
        const Lanes before = Lanes{} + tail.before[channel], scale = Lanes{} + tail.scale[channel], shift = Lanes{} + tail.shift[channel];
        for (int64_t p = 0; p < positions; p += V::lanes) {
            const int64_t at = row * positions + p, count = positions - p;
            Lanes v = (load(y + at, count) + before) * scale + shift;
            if (other) v += load(other + at, count);
            v = lanes.clipped(v);
            store(y + at, v, count);
            for (int64_t i = count; i < V::lanes; ++i) v[i] = 0;
            lanes.note(v);
        }
    }
    return lanes.largest_bits();
}

CATENA_VECTOR_CODE int32_t largest_bits(const float* x, int64_t count) {
    TailLanes lanes{ConvolutionTail()};
    for (int64_t i = 0; i < count; i += V::lanes) lanes.note(load(x + i, count - i));
    return lanes.largest_bits();
}

}  // namespace

float apply_tail(const ConvolutionTail& tail, const Array& y) {
    const int64_t channels = y.dim(1);
    const bool last = memory_order(y.shape(), y.strides()) == MemoryOrder::channels_last;
    const int64_t columns = last ? channels : y.size() / std::max<int64_t>(y.dim(0) * channels, 1), rows = y.size() / std::max<int64_t>(columns, 1);
    float* const to = y.to_fill<float>();
    std::atomic<int32_t> largest = 0;
    parallel_for(rows, 1 + elements_a_thread / std::max<int64_t>(columns, 1), [&](int64_t begin, int64_t end) {
        float* const from = to + begin * columns;
        const float* const other = tail.other ? tail.other + begin * columns : nullptr;
        keep_largest(largest, last ? tail_along_channels(tail, from, other, end - begin, channels)
                                   : tail_along_positions(tail, from, other, begin % channels, channels, end - begin, columns));
    });
    return std::bit_cast<float>(largest.load());
}

float largest_magnitude(const Array& x) {
    const float* const from = x.elements<float>();
    std::atomic<int32_t> largest = 0;
    parallel_for(x.size(), elements_a_thread,
                 [&](int64_t begin, int64_t end) { keep_largest(largest, largest_bits(from + begin, end - begin)); });
    return std::bit_cast<float>(largest.load());
}

}  // namespace catena
