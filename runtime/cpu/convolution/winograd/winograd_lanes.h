#pragma once

// Channels of tiles side by side, as many as a vector of so many `bytes` has lanes: for
// at_vector_width().

#include <array>
#include <cstddef>
#include <utility>

#include "runtime/core/simd/vector_widths.h"
#include "runtime/cpu/convolution/winograd/winograd_tile.h"

namespace catena::winograd {

template <int bytes>
using LanesOf = typename Vector<float, bytes>::Type;

template <class Lanes>
constexpr int64_t lanes_of = sizeof(Lanes) / sizeof(float);

template <class Lanes, size_t n>
using Column = std::array<Lanes, n>;

/// Applies a transform to both axes of a tile, side(side(in)^T)^T: to the columns, then to the
/// rows.
template <class Lanes, size_t n, size_t m, class Side, class Load, class Store>
CATENA_INLINE void both_sides(Side&& side, Load&& load, Store&& store) {
    Column<Lanes, m> rows[n];
    for (size_t j = 0; j < n; ++j) {
        Column<Lanes, n> column;
        for (size_t i = 0; i < n; ++i) column[i] = load(i, j);
        rows[j] = side(column);
    }
    for (size_t i = 0; i < m; ++i) {
        Column<Lanes, n> row;
        for (size_t j = 0; j < n; ++j) row[j] = rows[j][i];
        const Column<Lanes, m> result = side(row);
        for (size_t j = 0; j < m; ++j) store(i, j, result[j]);
    }
}

template <class Lanes>
CATENA_INLINE void store(float* to, Lanes v) {
    __builtin_memcpy(to, &v, sizeof v);
}

/// The sum of all lanes: halves are added until two lanes are left.
template <int bytes>
CATENA_INLINE float total(const LanesOf<bytes>& v) {
    if constexpr (bytes == 2 * sizeof(float)) {
        return v[0] + v[1];
    } else {
        LanesOf<bytes / 2> low, high;
        __builtin_memcpy(&low, &v, sizeof low);
        __builtin_memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
        return total<bytes / 2>(low + high);
    }
}

/// Zeros, read in the place of elements outside of an array.
alignas(64) constexpr float zeros[lanes] = {};

/// The addresses of a tile's elements, and for each the step from channel to channel, 1 or 0.
template <size_t n>
struct Sources {
    const float* from[n][n];
    int64_t step[n][n];

    CATENA_INLINE Sources(const Tile& tile, const float* array) {
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) {
                const int64_t row = int64_t(i) - tile.top, column = int64_t(j) - tile.left;
                const bool inside =
                    row >= 0 && row < tile.rows && column >= 0 && column < tile.columns;
                from[i][j] =
                    inside ? array + tile.first + row * tile.row_step + column * tile.column_step
                           : zeros;
                step[i][j] = inside;
            }
    }
    template <int bytes>
    CATENA_INLINE LanesOf<bytes> load(size_t i, size_t j, int64_t channel) const {
        return Vector<float, bytes>::load(from[i][j] + step[i][j] * channel);
    }
};

/// Whether all numbers were finite, given lanes that are NaN as soon as one was not.
template <class Lanes>
CATENA_INLINE bool is_finite(Lanes zero) {
    return Vector<float, sizeof(Lanes)>::sum(zero) == 0;
}

/// Exchanges blocks of `distance` lanes between two rows: a step of transposing squares.
template <int distance, class Lanes, size_t... lane>
CATENA_INLINE void exchange(Lanes& upper, Lanes& lower, std::index_sequence<lane...>) {
    constexpr int count = int(sizeof...(lane));
    const Lanes first = __builtin_shufflevector(
        upper, lower, ((lane & distance) ? count + int(lane) - distance : int(lane))...);
    lower = __builtin_shufflevector(
        upper, lower, ((lane & distance) ? count + int(lane) : int(lane) + distance)...);
    upper = first;
}

template <int distance, class Lanes, size_t n>
CATENA_INLINE void exchange_all(Lanes (&rows)[n]) {
    for (size_t i = 0; i < n; ++i)
        if (!(i & distance))
            exchange<distance>(rows[i], rows[i + distance],
                               std::make_index_sequence<size_t(lanes_of<Lanes>)>());
}

/// Transposes squares of n rows and lanes, side by side.
template <class Lanes, size_t n>
CATENA_INLINE void transpose(Lanes (&rows)[n]) {
    if constexpr (n > 8) exchange_all<8>(rows);
    if constexpr (n > 4) exchange_all<4>(rows);
    exchange_all<2>(rows);
    exchange_all<1>(rows);
}

/// Loads `count` numbers for each lane, `lane_step` apart in memory, into `count` vectors;
/// store_squares() stores them.
template <size_t count, class Lanes>
CATENA_INLINE void load_squares(const float* from, int64_t lane_step, Lanes* to) {
    constexpr int64_t n = lanes_of<Lanes>;
    for (size_t first = 0; first < count; first += n) {
        Lanes rows[n];
        for (int64_t lane = 0; lane < n; ++lane)
            __builtin_memcpy(&rows[lane], from + lane * lane_step + first, sizeof rows[lane]);
        transpose(rows);
        for (int64_t i = 0; i < n; ++i) to[first + size_t(i)] = rows[i];
    }
}
template <size_t count, class Lanes>
CATENA_INLINE void store_squares(const Lanes* from, int64_t lane_step, float* to) {
    constexpr int64_t n = lanes_of<Lanes>;
    for (size_t first = 0; first < count; first += n) {
        Lanes rows[n];
        for (int64_t i = 0; i < n; ++i) rows[i] = from[first + size_t(i)];
        transpose(rows);
        for (int64_t lane = 0; lane < n; ++lane) store(to + lane * lane_step + first, rows[lane]);
    }
}

typedef float Half __attribute__((vector_size(32)));

/// Loads as many numbers as there are vectors, for each lane; store_taps() stores them.
template <class Lanes>
CATENA_INLINE void load_taps(const float* from, int64_t lane_step, Lanes (&to)[16]) {
    load_squares<16>(from, lane_step, to);
}
template <class Lanes>
CATENA_INLINE void store_taps(const Lanes (&from)[16], int64_t lane_step, float* to) {
    store_squares<16>(from, lane_step, to);
}
template <class Lanes>
CATENA_INLINE void load_taps(const float* from, int64_t lane_step, Lanes (&to)[9]) {
    if constexpr (lanes_of<Lanes> == 16) {  // Two squares of eight side by side.
        Lanes rows[8];
        for (int64_t lane = 0; lane < 8; ++lane) {
            Half low, high;
            __builtin_memcpy(&low, from + lane * lane_step, sizeof low);
            __builtin_memcpy(&high, from + (lane + 8) * lane_step, sizeof high);
            rows[lane] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                                 12, 13, 14, 15);
        }
        transpose(rows);
        for (size_t i = 0; i < 8; ++i) to[i] = rows[i];
    } else {
        load_squares<8>(from, lane_step, to);
    }
    Lanes last{};
    for (int64_t lane = 0; lane < lanes_of<Lanes>; ++lane) last[lane] = from[lane * lane_step + 8];
    to[8] = last;
}
template <class Lanes>
CATENA_INLINE void store_taps(const Lanes (&from)[9], int64_t lane_step, float* to) {
    if constexpr (lanes_of<Lanes> == 16) {
        Lanes rows[8];
        for (size_t i = 0; i < 8; ++i) rows[i] = from[i];
        transpose(rows);
        for (int64_t lane = 0; lane < 8; ++lane) {
            const Half low =
                __builtin_shufflevector(rows[lane], rows[lane], 0, 1, 2, 3, 4, 5, 6, 7);
            const Half high =
                __builtin_shufflevector(rows[lane], rows[lane], 8, 9, 10, 11, 12, 13, 14, 15);
            __builtin_memcpy(to + lane * lane_step, &low, sizeof low);
            __builtin_memcpy(to + (lane + 8) * lane_step, &high, sizeof high);
        }
    } else {
        store_squares<8>(from, lane_step, to);
    }
    for (int64_t lane = 0; lane < lanes_of<Lanes>; ++lane) to[lane * lane_step + 8] = from[8][lane];
}

}  // namespace catena::winograd
