#pragma once

// What transforms of tiles have in common (winograd_transforms.cpp, phase_transforms.cpp): sixteen channels side by side. For functions marked CATENA_VECTOR_CODE.

#include <array>
#include <cstddef>

#include "runtime/core/vector_code.h"
#include "runtime/cpu/winograd_transforms.h"

namespace catena::winograd {

using V = Vector<float>;
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

}  // namespace catena::winograd
