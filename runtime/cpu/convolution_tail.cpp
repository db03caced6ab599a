#include "runtime/cpu/convolution_tail.h"

#include <algorithm>
#include <atomic>

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

/// The first `count` lanes; the others are 0.
CATENA_INLINE Lanes load_part(const float* from, int64_t count) {
    Lanes v{};
    for (int64_t i = 0; i < count; ++i) v[i] = from[i];
    return v;
}

/// full(i) for whole vectors of [0, count), then part(i, rest) for what is left.
template <class Full, class Part>
CATENA_INLINE void in_vectors(int64_t count, Full&& full, Part&& part) {
    int64_t i = 0;
    for (; i + V::lanes <= count; i += V::lanes) full(i);
    if (i < count) part(i, count - i);
}

/// What is left of a row.
CATENA_INLINE void store_part(TailLanes& lanes, float* to, Lanes v, int64_t count) {
    Lanes noted{};
    for (int64_t i = 0; i < count; ++i) to[i] = noted[i] = v[i];
    lanes.note(noted);
}

/// Rows of one element for each channel.
template <bool has_other>
CATENA_INLINE int32_t along_channels(const ConvolutionTail& tail, float* y, const float* other, int64_t rows, int64_t channels) {
    TailLanes lanes(tail);
    const float *const before = tail.before, *const scale = tail.scale, *const shift = tail.shift;
    for (int64_t row = 0; row < rows; ++row, y += channels, other += has_other ? channels : 0)
        in_vectors(
            channels,
            [&](int64_t c) __attribute__((always_inline)) {
                Lanes v = (V::load(y + c) + V::load(before + c)) * V::load(scale + c) + V::load(shift + c);
                if (has_other) v += V::load(other + c);
                v = lanes.clipped(v);
                lanes.note(v);
                __builtin_memcpy(y + c, &v, sizeof v);
            },
            [&](int64_t c, int64_t count) __attribute__((always_inline)) {
                Lanes v = (load_part(y + c, count) + load_part(before + c, count)) * load_part(scale + c, count) + load_part(shift + c, count);
                if (has_other) v += load_part(other + c, count);
                store_part(lanes, y + c, lanes.clipped(v), count);
            });
    return lanes.largest_bits();
}

CATENA_VECTOR_CODE int32_t tail_along_channels(const ConvolutionTail& tail, float* y, const float* other, int64_t rows, int64_t channels) {
    return other ? along_channels<true>(tail, y, other, rows, channels) : along_channels<false>(tail, y, other, rows, channels);
}

/// Rows of one channel each, the first one of them `channel`.
template <bool has_other>
CATENA_INLINE int32_t along_positions(const ConvolutionTail& tail, float* y, const float* other, int64_t channel, int64_t channels, int64_t rows,
                                      int64_t positions) {
    TailLanes lanes(tail);
    for (int64_t row = 0; row < rows; ++row, y += positions, other += has_other ? positions : 0, channel = channel + 1 < channels ? channel + 1 : 0) {
        const Lanes before = Lanes{} + tail.before[channel], scale = Lanes{} + tail.scale[channel], shift = Lanes{} + tail.shift[channel];
        in_vectors(
            positions,
            [&](int64_t p) __attribute__((always_inline)) {
                Lanes v = (V::load(y + p) + before) * scale + shift;
                if (has_other) v += V::load(other + p);
                v = lanes.clipped(v);
                lanes.note(v);
                __builtin_memcpy(y + p, &v, sizeof v);
            },
            [&](int64_t p, int64_t count) __attribute__((always_inline)) {
                Lanes v = (load_part(y + p, count) + before) * scale + shift;
                if (has_other) v += load_part(other + p, count);
                store_part(lanes, y + p, lanes.clipped(v), count);
            });
    }
    return lanes.largest_bits();
}

CATENA_VECTOR_CODE int32_t tail_along_positions(const ConvolutionTail& tail, float* y, const float* other, int64_t channel, int64_t channels,
                                                int64_t rows, int64_t positions) {
    return other ? along_positions<true>(tail, y, other, channel, channels, rows, positions)
                 : along_positions<false>(tail, y, other, channel, channels, rows, positions);
}

CATENA_VECTOR_CODE int32_t largest_bits(const float* x, int64_t count) {
    TailLanes lanes{ConvolutionTail()};
    in_vectors(count, [&](int64_t i) __attribute__((always_inline)) { lanes.note(V::load(x + i)); },
               [&](int64_t i, int64_t rest) __attribute__((always_inline)) { lanes.note(load_part(x + i, rest)); });
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
