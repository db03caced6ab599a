#pragma once

#include <array>
#include <utility>

#include "runtime/cpu/convolution/lanes/lane_tiles_avx2.h"
#include "runtime/cpu/convolution/lanes/lane_tiles_avx512.h"
#include "runtime/core/simd/instruction_set.h"

#if defined(__x86_64__)

namespace catena::lane_tiles {

// Which of them there are: at least so many sums that additions need not wait for each other, and
// no more than registers.

constexpr int most_outs = 6;
/// The most positions of a tile, for each number of output channels.
constexpr std::array<int, most_outs + 1> most_positions = {0, 8, 8, 7, 6, 4, 4};
constexpr int most_taps = 5, most_gradients = 4;

using CorrelationKernel = void (*)(const Correlation&);
using ProductKernel = void (*)(const Products&);

template <int outs, int... p>
CorrelationKernel correlation_of(int64_t positions, std::integer_sequence<int, p...>) {
    static constexpr CorrelationKernel of_avx512[] = {avx512::correlate<outs, p + 1>...},
                                       of_avx2[] = {avx2::correlate<outs, p + 1>...};
    return (has_avx512() ? of_avx512 : of_avx2)[positions - 1];
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
    static constexpr ProductKernel of_avx512[] = {avx512::multiply<outs, j + 1>...},
                                   of_avx2[] = {avx2::multiply<outs, j + 1>...};
    return (has_avx512() ? of_avx512 : of_avx2)[taps - 1];
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
