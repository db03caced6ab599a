#include "runtime/core/array/transpose.h"

#include <algorithm>
#include <utility>

#include "runtime/core/simd/vector_widths.h"

namespace catena {
namespace {

/// A transposition strides across cache lines on one side: tiles keep the lines of both sides in
/// the cache.
template <class T>
void transpose_tiles(T* to, int64_t to_row, const T* from, int64_t from_column, int64_t rows,
                     int64_t columns) {
    constexpr int64_t tile = 32;
    for (int64_t i = 0; i < rows; i += tile)
        for (int64_t j = 0; j < columns; j += tile)
            for (int64_t r = i; r < std::min(i + tile, rows); ++r)
                for (int64_t c = j; c < std::min(j + tile, columns); ++c)
                    to[r * to_row + c] = from[r + c * from_column];
}

constexpr int most_lanes = 16;

/// Exchanges the upper right and the lower left quarter of all blocks of 2 distance x 2 distance
/// elements.
template <int distance, class Lanes, int side, int... lane>
CATENA_INLINE void exchange_quarters(Lanes (&rows)[side], std::integer_sequence<int, lane...>) {
    for (int i = 0; i < side; ++i) {
        if (i & distance) continue;
        const Lanes upper = rows[i], lower = rows[i + distance];
        rows[i] = __builtin_shufflevector(upper, lower,
                                          ((lane & distance) ? side + lane - distance : lane)...);
        rows[i + distance] = __builtin_shufflevector(
            upper, lower, ((lane & distance) ? side + lane : lane + distance)...);
    }
}

template <int bytes>
CATENA_INLINE void transpose_block(uint32_t* to, int64_t to_row, const uint32_t* from,
                                   int64_t from_column) {
    using V = Vector<uint32_t, bytes>;
    constexpr int side = int(V::lanes);
    constexpr std::make_integer_sequence<int, side> lanes;
    typename V::Type rows[side];
    for (int i = 0; i < side; ++i) rows[i] = V::load(from + i * from_column);
    if constexpr (side > 8) exchange_quarters<8>(rows, lanes);
    if constexpr (side > 4) exchange_quarters<4>(rows, lanes);
    exchange_quarters<2>(rows, lanes);
    exchange_quarters<1>(rows, lanes);
    for (int i = 0; i < side; ++i) __builtin_memcpy(to + i * to_row, &rows[i], bytes);
}

template <int bytes>
CATENA_INLINE void transpose_blocks_of(uint32_t* to, int64_t to_row, const uint32_t* from,
                                       int64_t from_column, int64_t rows, int64_t columns) {
    constexpr int64_t side = Vector<uint32_t, bytes>::lanes;
    for (int64_t r = 0; r < rows; r += side)
        for (int64_t c = 0; c < columns; c += side)
            transpose_block<bytes>(to + r * to_row + c, to_row, from + r + c * from_column,
                                   from_column);
}
/// Rows and columns are multiples of most_lanes.
CATENA_VECTOR_WIDTHS(void, transpose_blocks,
                     (uint32_t* to, int64_t to_row, const uint32_t* from, int64_t from_column,
                      int64_t rows, int64_t columns),
                     (to, to_row, from, from_column, rows, columns))

void transpose(uint32_t* to, int64_t to_row, const uint32_t* from, int64_t from_column,
               int64_t rows, int64_t columns) {
    const int64_t whole_rows = rows / most_lanes * most_lanes,
                  whole_columns = columns / most_lanes * most_lanes;
    transpose_blocks(to, to_row, from, from_column, whole_rows, whole_columns);
    transpose_tiles(to + whole_columns, to_row, from + whole_columns * from_column, from_column,
                    whole_rows, columns - whole_columns);
    transpose_tiles(to + whole_rows * to_row, to_row, from + whole_rows, from_column,
                    rows - whole_rows, columns);
}

}  // namespace

void transpose_elements(int64_t element, void* to, int64_t to_row, const void* from,
                        int64_t from_column, int64_t rows, int64_t columns) {
    const auto tiles = [&]<class T>(T) {
        transpose_tiles(static_cast<T*>(to), to_row, static_cast<const T*>(from), from_column, rows,
                        columns);
    };
    switch (element) {
        case 1:
            return tiles(uint8_t());
        case 2:
            return tiles(uint16_t());
        case 4:
            return transpose(static_cast<uint32_t*>(to), to_row, static_cast<const uint32_t*>(from),
                             from_column, rows, columns);
        default:
            return tiles(uint64_t());
    }
}

}  // namespace catena
