#include "runtime/cpu/convolution/tail/apply_tail.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/convolution/tail/tail_lanes.h"
#include "runtime/core/simd/vector_widths.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

template <int bytes>
using Lanes = typename Vector<float, bytes>::Type;

constexpr int64_t most_lanes = Vector<float, 64>::lanes;

/// The largest of what threads find, as bits.
void keep_largest(std::atomic<int32_t>& largest, int32_t found) {
    int32_t known = largest.load();
    while (found > known && !largest.compare_exchange_weak(known, found)) {
    }
}

/// The first `count` lanes; the others are 0.
template <int bytes>
CATENA_INLINE Lanes<bytes> load_part(const float* from, int64_t count) {
    Lanes<bytes> v{};
    for (int64_t i = 0; i < count; ++i) v[i] = from[i];
    return v;
}

/// full(i) for whole vectors of [0, count), then part(i, rest) for what is left.
template <int bytes, class Full, class Part>
CATENA_INLINE void in_vectors(int64_t count, Full&& full, Part&& part) {
    constexpr int64_t lanes = Vector<float, bytes>::lanes;
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) full(i);
    if (i < count) part(i, count - i);
}

/// What is left of a row.
template <int bytes>
CATENA_INLINE void store_part(TailLanes<bytes>& lanes, float* to, Lanes<bytes> v, int64_t count) {
    Lanes<bytes> noted{};
    for (int64_t i = 0; i < count; ++i) to[i] = noted[i] = v[i];
    lanes.note(noted);
}

/// Rows of one element for each channel.
template <int bytes, bool has_other>
CATENA_INLINE int32_t along_channels(const ConvolutionTail& tail, float* y, const float* other,
                                     int64_t rows, int64_t channels) {
    using V = Vector<float, bytes>;
    TailLanes<bytes> lanes(tail);
    const float *const before = tail.before, *const scale = tail.scale, *const shift = tail.shift;
    for (int64_t row = 0; row < rows; ++row, y += channels, other += has_other ? channels : 0)
        in_vectors<bytes>(
            channels,
            [&](int64_t c) __attribute__((always_inline)) {
                Lanes<bytes> v = (V::load(y + c) + V::load(before + c)) * V::load(scale + c) +
                                 V::load(shift + c);
                if (has_other) v += V::load(other + c);
                v = lanes.clipped(v);
                lanes.note(v);
                __builtin_memcpy(y + c, &v, sizeof v);
            },
            [&](int64_t c, int64_t count) __attribute__((always_inline)) {
                Lanes<bytes> v =
                    (load_part<bytes>(y + c, count) + load_part<bytes>(before + c, count)) *
                        load_part<bytes>(scale + c, count) +
                    load_part<bytes>(shift + c, count);
                if (has_other) v += load_part<bytes>(other + c, count);
                store_part<bytes>(lanes, y + c, lanes.clipped(v), count);
            });
    return lanes.largest_bits();
}

template <int bytes>
CATENA_INLINE int32_t tail_along_channels_of(const ConvolutionTail& tail, float* y,
                                             const float* other, int64_t rows, int64_t channels) {
    return other ? along_channels<bytes, true>(tail, y, other, rows, channels)
                 : along_channels<bytes, false>(tail, y, other, rows, channels);
}
CATENA_VECTOR_WIDTHS(int32_t, tail_along_channels,
                     (const ConvolutionTail& tail, float* y, const float* other, int64_t rows,
                      int64_t channels),
                     (tail, y, other, rows, channels))

/// Rows of one channel each, the first one of them `channel`.
template <int bytes, bool has_other>
CATENA_INLINE int32_t along_positions(const ConvolutionTail& tail, float* y, const float* other,
                                      int64_t channel, int64_t channels, int64_t rows,
                                      int64_t positions) {
    using V = Vector<float, bytes>;
    TailLanes<bytes> lanes(tail);
    for (int64_t row = 0; row < rows; ++row, y += positions, other += has_other ? positions : 0,
                 channel = channel + 1 < channels ? channel + 1 : 0) {
        const Lanes<bytes> before = Lanes<bytes>{} + tail.before[channel],
                           scale = Lanes<bytes>{} + tail.scale[channel],
                           shift = Lanes<bytes>{} + tail.shift[channel];
        in_vectors<bytes>(
            positions,
            [&](int64_t p) __attribute__((always_inline)) {
                Lanes<bytes> v = (V::load(y + p) + before) * scale + shift;
                if (has_other) v += V::load(other + p);
                v = lanes.clipped(v);
                lanes.note(v);
                __builtin_memcpy(y + p, &v, sizeof v);
            },
            [&](int64_t p, int64_t count) __attribute__((always_inline)) {
                Lanes<bytes> v = (load_part<bytes>(y + p, count) + before) * scale + shift;
                if (has_other) v += load_part<bytes>(other + p, count);
                store_part<bytes>(lanes, y + p, lanes.clipped(v), count);
            });
    }
    return lanes.largest_bits();
}

template <int bytes>
CATENA_INLINE int32_t tail_along_positions_of(const ConvolutionTail& tail, float* y,
                                              const float* other, int64_t channel, int64_t channels,
                                              int64_t rows, int64_t positions) {
    return other
               ? along_positions<bytes, true>(tail, y, other, channel, channels, rows, positions)
               : along_positions<bytes, false>(tail, y, other, channel, channels, rows, positions);
}
CATENA_VECTOR_WIDTHS(int32_t, tail_along_positions,
                     (const ConvolutionTail& tail, float* y, const float* other, int64_t channel,
                      int64_t channels, int64_t rows, int64_t positions),
                     (tail, y, other, channel, channels, rows, positions))

template <int bytes>
CATENA_INLINE int32_t largest_bits_of(const float* x, int64_t count) {
    TailLanes<bytes> lanes{ConvolutionTail()};
    in_vectors<bytes>(
        count,
        [&](int64_t i)
            __attribute__((always_inline)) { lanes.note(Vector<float, bytes>::load(x + i)); },
        [&](int64_t i, int64_t rest)
            __attribute__((always_inline)) { lanes.note(load_part<bytes>(x + i, rest)); });
    return lanes.largest_bits();
}
CATENA_VECTOR_WIDTHS(int32_t, largest_bits, (const float* x, int64_t count), (x, count))

/// Several positions of channels that are not whole vectors, as one of so many channels that they
/// are: the numbers of each channel again and again. For one sweep of the calling thread at a time.
struct Repeated {
    int64_t times;
    ConvolutionTail tail;

    Repeated(const ConvolutionTail& of, int64_t channels)
        : times(most_lanes / std::gcd(channels, most_lanes)), tail(of) {
        if (times == 1) return;
        static constinit PerThread<std::vector<float>> of_thread;
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

int32_t sweep_channels_last(const ConvolutionTail& tail, float* y, int64_t positions,
                            int64_t channels) {
    const Repeated repeated(tail, channels);
    const int64_t columns = repeated.times * channels, rows = positions / repeated.times,
                  done = rows * columns;
    std::atomic<int32_t> largest = 0;
    parallel_for(rows, machine::grain_of_elements(columns), [&](int64_t begin, int64_t end) {
        const float* const other = tail.other ? tail.other + begin * columns : nullptr;
        keep_largest(largest, tail_along_channels(repeated.tail, y + begin * columns, other,
                                                  end - begin, columns));
    });
    keep_largest(largest,
                 tail_along_channels(tail, y + done, tail.other ? tail.other + done : nullptr,
                                     positions - rows * repeated.times, channels));
    return largest;
}

int32_t sweep_row_major(const ConvolutionTail& tail, float* y, int64_t rows, int64_t channels,
                        int64_t positions) {
    std::atomic<int32_t> largest = 0;
    parallel_for(rows, machine::grain_of_elements(positions), [&](int64_t begin, int64_t end) {
        const float* const other = tail.other ? tail.other + begin * positions : nullptr;
        keep_largest(largest,
                     tail_along_positions(tail, y + begin * positions, other, begin % channels,
                                          channels, end - begin, positions));
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
    parallel_for(x.size(), machine::elements_of_a_thread, [&](int64_t begin, int64_t end) {
        keep_largest(largest, largest_bits(from + begin, end - begin));
    });
    return std::bit_cast<float>(largest.load());
}

}  // namespace catena
