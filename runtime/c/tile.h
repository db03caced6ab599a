/* One tile of a product: rows of a panel of a times a panel of b, all sums in registers (Goto and
 * van de Geijn, "Anatomy of high-performance matrix multiplication", 2008). A function for each
 * number of rows, written out by macros, since compilers keep named variables in registers but not
 * arrays. Whoever includes this says where row k of b is: TILE_ROW, by a parameter TILE_PARAMETER.
 */
#ifndef CATENA_C_TILE_H
#define CATENA_C_TILE_H

#include "runtime/c/blocks.h"

/* a: `rows` elements for each k; b: two vectors for each k. */
typedef void tile_function(int64_t inner, const real* a, const real* b, TILE_PARAMETER, real* y,
                           int64_t y_row, int add);

#define TILE_DECLARE(i) vector low##i = {0}, high##i = {0};
#define TILE_MULTIPLY(i) low##i += a[i] * b_low, high##i += a[i] * b_high;
#define TILE_STORE(i)                                \
    {                                                \
        vector* const to = (vector*)(y + i * y_row); \
        if (add) low##i += to[0], high##i += to[1];  \
        to[0] = low##i, to[1] = high##i;             \
    }
#define TILE(rows)                                                                                \
    static void tile_##rows(int64_t inner, const real* a, const real* b, TILE_PARAMETER, real* y, \
                            int64_t y_row, int add) {                                             \
        ROWS_##rows(TILE_DECLARE) for (int64_t k = 0; k < inner; ++k, a += rows) {                \
            const real* const row = TILE_ROW;                                                     \
            const vector b_low = *(const vector*)row, b_high = *(const vector*)(row + lanes);     \
            ROWS_##rows(TILE_MULTIPLY)                                                            \
        }                                                                                         \
        ROWS_##rows(TILE_STORE)                                                                   \
    }
#define ROWS_1(f) f(0)
#define ROWS_2(f) ROWS_1(f) f(1)
#define ROWS_3(f) ROWS_2(f) f(2)
#define ROWS_4(f) ROWS_3(f) f(3)
#define ROWS_5(f) ROWS_4(f) f(4)
#define ROWS_6(f) ROWS_5(f) f(5)
#define ROWS_7(f) ROWS_6(f) f(6)
#define ROWS_8(f) ROWS_7(f) f(7)
#define ROWS_9(f) ROWS_8(f) f(8)
#define ROWS_10(f) ROWS_9(f) f(9)
#define ROWS_11(f) ROWS_10(f) f(10)
#define ROWS_12(f) ROWS_11(f) f(11)
#define ROWS_13(f) ROWS_12(f) f(12)
#define ROWS_14(f) ROWS_13(f) f(13)

TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)
#if defined(__AVX512F__)
TILE(7)
TILE(8)
TILE(9)
TILE(10)
TILE(11)
TILE(12)
TILE(13)
TILE(14)
#endif

static tile_function* const tiles[most_rows] = {tile_1,  tile_2, tile_3, tile_4,  tile_5,  tile_6,
#if defined(__AVX512F__)
                                                tile_7,  tile_8, tile_9, tile_10, tile_11, tile_12,
                                                tile_13, tile_14
#endif
};

#endif
