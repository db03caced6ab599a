#pragma once

// What transforms of tiles have in common (winograd_transforms.cpp, phase_transforms.cpp): sixteen channels side by side. For functions marked CATENA_VECTOR_CODE.

#include <array>
#include <cstddef>
#include <utility>

#include "runtime/core/vector_code.h"
#include "runtime/cpu/convolution/winograd/winograd_transforms.h"

namespace catena::winograd {

using V = Vector<float, 64>;  // With AVX2 in memory: three times the instructions.
using Lanes = V::Type;
static_assert(V::lanes == lanes);

template <size_t n>
using Column = std::array<Lanes, n>;

/// side(side(in)^T)^T: the columns, then the rows.
template <size_t n, size_t m, class Side, class Load, class Store>
CATENA_INLINE void both_sides(Side&& side, Load&& load, Store&& store) {
    Column<m> rows[n];
    for (size_t j = 0; j < n; ++j) {
        Column<n> column;
        for (size_t i = 0; i < n; ++i) column[i] = load(i, j);
        rows[j] = side(column);
    }
    for (size_t i = 0; i < m; ++i) {
        Column<n> row;
        for (size_t j = 0; j < n; ++j) row[j] = rows[j][i];
        const Column<m> result = side(row);
        for (size_t j = 0; j < m; ++j) store(i, j, result[j]);
    }
}

CATENA_INLINE void store(float* to, Lanes v) { __builtin_memcpy(to, &v, sizeof v); }

/// Zeros for what lies outside of an array.
alignas(64) constexpr float zeros[lanes] = {};

/// Where the elements of a tile are: their addresses, and 1 or 0 for the step from channel to channel.
template <size_t n>
struct Sources {
    const float* from[n][n];
    int64_t step[n][n];

    CATENA_INLINE Sources(const Tile& tile, const float* array) {
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < n; ++j) {
                const int64_t row = int64_t(i) - tile.top, column = int64_t(j) - tile.left;
                const bool inside = row >= 0 && row < tile.rows && column >= 0 && column < tile.columns;
                from[i][j] = inside ? array + tile.first + row * tile.row_step + column * tile.column_step : zeros;
                step[i][j] = inside;
            }
    }
    CATENA_INLINE Lanes load(size_t i, size_t j, int64_t channel) const { return V::load(from[i][j] + step[i][j] * channel); }
};

/// Lanes that are NaN as soon as one was not finite.
CATENA_INLINE bool is_finite(Lanes zero) { return V::sum(zero) == 0; }

/// Exchanges blocks of `distance` lanes between two rows: a step of transposing squares.
template <int distance, size_t... lane>
CATENA_INLINE void exchange(Lanes& upper, Lanes& lower, std::index_sequence<lane...>) {
    const Lanes first = __builtin_shufflevector(upper, lower, ((lane & distance) ? int(lanes + lane - distance) : int(lane))...);
    lower = __builtin_shufflevector(upper, lower, ((lane & distance) ? int(lanes + lane) : int(lane + distance))...);
    upper = first;
}

template <int distance, size_t n>
CATENA_INLINE void exchange_all(Lanes (&rows)[n]) {
    for (size_t i = 0; i < n; ++i)
        if (!(i & distance)) exchange<distance>(rows[i], rows[i + distance], std::make_index_sequence<lanes>());
}

/// 16 rows of 16 lanes.
CATENA_INLINE void transpose(Lanes (&rows)[16]) {
    exchange_all<8>(rows);
    exchange_all<4>(rows);
    exchange_all<2>(rows);
    exchange_all<1>(rows);
}
/// 8 rows of 8 lanes, twice side by side.
CATENA_INLINE void transpose(Lanes (&rows)[8]) {
    exchange_all<4>(rows);
    exchange_all<2>(rows);
    exchange_all<1>(rows);
}

/// Nine numbers of each of 16 lanes, `lane_step` apart in memory, as nine vectors; and back.
CATENA_INLINE void load_nine(const float* from, int64_t lane_step, Lanes (&to)[9]) {
    typedef float Half __attribute__((vector_size(32)));
    Lanes rows[8];
    for (int64_t lane = 0; lane < 8; ++lane) {
        Half low, high;
        __builtin_memcpy(&low, from + lane * lane_step, sizeof low);
        __builtin_memcpy(&high, from + (lane + 8) * lane_step, sizeof high);
        rows[lane] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    transpose(rows);
    for (size_t i = 0; i < 8; ++i) to[i] = rows[i];
    for (int64_t lane = 0; lane < lanes; ++lane) to[8][lane] = from[lane * lane_step + 8];
}
CATENA_INLINE void store_nine(const Lanes (&from)[9], int64_t lane_step, float* to) {
    Lanes rows[8];
    for (size_t i = 0; i < 8; ++i) rows[i] = from[i];
    transpose(rows);
    for (int64_t lane = 0; lane < 8; ++lane) {
        const auto low = __builtin_shufflevector(rows[lane], rows[lane], 0, 1, 2, 3, 4, 5, 6, 7);
        const auto high = __builtin_shufflevector(rows[lane], rows[lane], 8, 9, 10, 11, 12, 13, 14, 15);
        __builtin_memcpy(to + lane * lane_step, &low, sizeof low);
        __builtin_memcpy(to + (lane + 8) * lane_step, &high, sizeof high);
    }
    for (int64_t lane = 0; lane < lanes; ++lane) to[lane * lane_step + 8] = from[8][lane];
}

}  // namespace catena::winograd
