#pragma once

#include <array>
#include <utility>

#include "runtime/core/simd/vector_widths.h"
#include "runtime/cpu/convolution/lanes/lane_tile.h"

#if defined(__x86_64__)

namespace catena::lane_tiles {

// Which of them there are: at least so many sums that additions need not wait for each other, and
// no more than registers.

constexpr int most_outs = 6;
/// The most positions of a tile, for each number of output channels.
constexpr std::array<int, most_outs + 1> most_positions = {0, 8, 8, 7, 6, 4, 4};
constexpr int most_taps = 5, most_gradients = 4;

// Images lie side by side in as many registers as sixteen floats fill, one after the other. Where
// there are but sixteen registers, sums are computed in parts that fit them. The bits are the same.

/// The most positions, or taps, of a part.
template <int bytes>
constexpr int positions_of_part(int outs) {
    constexpr std::array<int, most_outs + 1> most = {0, 7, 5, 3, 3, 2, 2};
    return bytes == 64 ? most_positions[size_t(outs)] : most[size_t(outs)];
}
template <int bytes>
constexpr int taps_of_part(int outs) {
    return bytes < 64 && outs > 2 ? 3 : most_taps;
}

/// Computes positions from `position` on, for the images of one register from lane `first` on.
template <int bytes, int outs, int positions>
CATENA_INLINE void correlate_part(const Correlation& t, int64_t position, int64_t first) {
    using V = Vector<float, bytes>;
    typename V::Type sums[outs][positions];
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o) {
        const typename V::Type bias = typename V::Type{} + (t.bias ? t.bias[o] : 0.0f);
#pragma GCC unroll 8
        for (int p = 0; p < positions; ++p) sums[o][p] = bias;
    }
    for (int64_t c = 0; c < t.channels; ++c)
        for (int64_t i = 0; i < t.rows; ++i) {
            const float *x = t.x + c * t.x_channel + i * t.x_row + position * t.x_position + first,
                        *W = t.W + c * t.W_channel + i * t.W_row;
            for (int64_t j = 0; j < t.taps; ++j, x += t.x_tap, W += t.W_tap) {
                typename V::Type values[positions];
#pragma GCC unroll 8
                for (int p = 0; p < positions; ++p) values[p] = V::load(x + p * t.x_position);
#pragma GCC unroll 8
                for (int o = 0; o < outs; ++o) {
                    const float weight = W[o];
#pragma GCC unroll 8
                    for (int p = 0; p < positions; ++p) sums[o][p] += weight * values[p];
                }
            }
        }
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int p = 0; p < positions; ++p)
            V::store(t.y + o * t.y_channel + (position + p) * t.y_position + first, sums[o][p]);
}

/// Computes positions from `begin` on, as many as are left.
template <int bytes, int outs, int positions>
CATENA_INLINE void correlate_from(const Correlation& t, int64_t begin, int64_t first) {
    constexpr int most = positions_of_part<bytes>(outs), parts = (positions + most - 1) / most,
                  now = (positions + parts - 1) / parts;
    correlate_part<bytes, outs, now>(t, begin, first);
    if constexpr (now < positions)
        correlate_from<bytes, outs, positions - now>(t, begin + now, first);
}

template <int outs, int positions>
void correlate(const Correlation& t) {
    at_vector_width([&t](auto bytes) __attribute__((always_inline)) {
        for (int64_t first = 0; first < image_lanes; first += bytes / int64_t(sizeof(float)))
            correlate_from<bytes, outs, positions>(t, 0, first);
    });
}

template <int bytes, int outs, int taps>
CATENA_INLINE void multiply_part(const Products& t, int64_t tap, int64_t first) {
    using V = Vector<float, bytes>;
    typename V::Type sums[outs][taps];
    float* const to = t.sums + tap * t.sums_tap + first;
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int j = 0; j < taps; ++j) sums[o][j] = V::load(to + j * t.sums_tap + o * image_lanes);
    for (int64_t i = 0; i < t.rows; ++i) {
        const float *x = t.x + i * t.x_row + tap * t.x_tap + first,
                    *gy = t.gy + i * t.gy_row + first;
        for (int64_t p = 0; p < t.positions; ++p, x += t.x_position, gy += t.gy_position) {
            typename V::Type values[taps];
#pragma GCC unroll 8
            for (int j = 0; j < taps; ++j) values[j] = V::load(x + j * t.x_tap);
#pragma GCC unroll 8
            for (int o = 0; o < outs; ++o) {
                const typename V::Type gradient = V::load(gy + o * t.gy_channel);
#pragma GCC unroll 8
                for (int j = 0; j < taps; ++j) sums[o][j] += gradient * values[j];
            }
        }
    }
#pragma GCC unroll 8
    for (int o = 0; o < outs; ++o)
#pragma GCC unroll 8
        for (int j = 0; j < taps; ++j) V::store(to + j * t.sums_tap + o * image_lanes, sums[o][j]);
}

template <int outs, int taps>
void multiply(const Products& t) {
    at_vector_width([&t](auto bytes) __attribute__((always_inline)) {
        constexpr int most = taps_of_part<bytes>(outs), now = taps < most ? taps : most;
        for (int64_t first = 0; first < image_lanes; first += bytes / int64_t(sizeof(float))) {
            multiply_part<bytes, outs, now>(t, 0, first);
            if constexpr (now < taps) multiply_part<bytes, outs, taps - now>(t, now, first);
        }
    });
}

using CorrelationKernel = void (*)(const Correlation&);
using ProductKernel = void (*)(const Products&);

template <int outs, int... p>
CorrelationKernel correlation_of(int64_t positions, std::integer_sequence<int, p...>) {
    static constexpr CorrelationKernel kernels[] = {correlate<outs, p + 1>...};
    return kernels[positions - 1];
}
template <int... o>
CorrelationKernel correlation_of(int64_t outs, int64_t positions,
                                 std::integer_sequence<int, o...>) {
    CorrelationKernel found = nullptr;
    ((outs == o + 1 && (found = correlation_of<o + 1>(
                            positions, std::make_integer_sequence<int, most_positions[o + 1]>()))),
     ...);
    return found;
}
template <int outs, int... j>
ProductKernel product_of(int64_t taps, std::integer_sequence<int, j...>) {
    static constexpr ProductKernel kernels[] = {multiply<outs, j + 1>...};
    return kernels[taps - 1];
}
template <int... o>
ProductKernel product_of(int64_t outs, int64_t taps, std::integer_sequence<int, o...>) {
    ProductKernel found = nullptr;
    ((outs == o + 1 &&
      (found = product_of<o + 1>(taps, std::make_integer_sequence<int, most_taps>()))),
     ...);
    return found;
}

/// The kernel for 1 to `most_outs` channels and 1 to their `most_positions`.
inline CorrelationKernel correlation(int64_t outs, int64_t positions) {
    return correlation_of(outs, positions, std::make_integer_sequence<int, most_outs>());
}
/// The kernel for 1 to `most_gradients` channels and 1 to `most_taps`.
inline ProductKernel product(int64_t outs, int64_t taps) {
    return product_of(outs, taps, std::make_integer_sequence<int, most_gradients>());
}

}  // namespace catena::lane_tiles

#endif
