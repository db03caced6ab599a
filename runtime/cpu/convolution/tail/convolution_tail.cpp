#include "runtime/cpu/convolution/tail/convolution_tail.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "runtime/core/memory_order.h"
#include "runtime/core/parallel.h"
#include "runtime/core/per_thread.h"
#include "runtime/cpu/convolution/tail/tail_lanes.h"

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

/// Several positions of channels that are not whole vectors, as one of so many channels that they are: the numbers of each channel again
/// and again. For one sweep of the calling thread at a time.
struct Repeated {
    int64_t times;
    ConvolutionTail tail;

    Repeated(const ConvolutionTail& of, int64_t channels) : times(V::lanes / std::gcd(channels, V::lanes)), tail(of) {
        if (times == 1) return;
        thread_local PerThread<std::vector<float>> of_thread;
        std::vector<float>& numbers = of_thread.get();
        numbers.resize(size_t(3 * times * channels));
        float* to = numbers.data();
        for (const float** each : {&tail.before, &tail.scale, &tail.shift}) {
            const float* const from = *each;
            *each = to;
            for (int64_t i = 0; i < times; ++i) to = std::copy_n(from, channels, to);
        }
    }
};

int32_t sweep_channels_last(const ConvolutionTail& tail, float* y, int64_t positions, int64_t channels) {
    const Repeated repeated(tail, channels);
    const int64_t columns = repeated.times * channels, rows = positions / repeated.times, done = rows * columns;
    std::atomic<int32_t> largest = 0;
    parallel_for(rows, 1 + elements_a_thread / columns, [&](int64_t begin, int64_t end) {
        const float* const other = tail.other ? tail.other + begin * columns : nullptr;
        keep_largest(largest, tail_along_channels(repeated.tail, y + begin * columns, other, end - begin, columns));
    });
    keep_largest(largest, tail_along_channels(tail, y + done, tail.other ? tail.other + done : nullptr, positions - rows * repeated.times, channels));
    return largest;
}

int32_t sweep_row_major(const ConvolutionTail& tail, float* y, int64_t rows, int64_t channels, int64_t positions) {
    std::atomic<int32_t> largest = 0;
    parallel_for(rows, 1 + elements_a_thread / positions, [&](int64_t begin, int64_t end) {
        const float* const other = tail.other ? tail.other + begin * positions : nullptr;
        keep_largest(largest, tail_along_positions(tail, y + begin * positions, other, begin % channels, channels, end - begin, positions));
    });
    return largest;
}

}  // namespace

float apply_tail(const ConvolutionTail& tail, const Array& y) {
    if (y.size() == 0) return 0;
    const int64_t channels = y.dim(1), rows = y.dim(0) * channels, positions = y.size() / rows;
    float* const to = y.to_fill<float>();
    const bool last = memory_order(y.shape(), y.strides()) == MemoryOrder::channels_last;
    return std::bit_cast<float>(last ? sweep_channels_last(tail, to, y.size() / channels, channels)
                                     : sweep_row_major(tail, to, rows, channels, positions));
}

float largest_magnitude(const Array& x) {
    const float* const from = x.elements<float>();
    std::atomic<int32_t> largest = 0;
    parallel_for(x.size(), elements_a_thread,
                 [&](int64_t begin, int64_t end) { keep_largest(largest, largest_bits(from + begin, end - begin)); });
    return std::bit_cast<float>(largest.load());
}

}  // namespace catena
