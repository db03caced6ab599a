#include "runtime/c/blocks.h"

#define TILE_PARAMETER int64_t b_step
#define TILE_ROW (b + k * b_step)
#include "runtime/c/tile.h"

/* Panels of `height` rows, for each k the rows of a panel. */
static void pack_a(const product_blocks* p, int64_t i, int64_t rows, int64_t k, int64_t count,
                   int64_t height, real* to) {
    for (int64_t begin = 0; begin < rows; begin += height) {
        const int64_t own = least(height, rows - begin);
        const real* from = p->a + (i + begin) * p->a_row + k * p->a_inner;
        for (int64_t r = 0; r < own; ++r)
            for (int64_t c = 0; c < count; ++c)
                to[c * own + r] = from[r * p->a_row + c * p->a_inner];
        to += own * count;
    }
}

/* Four columns, each of which lies in one piece in memory, become rows. */
static void pack_four_columns(const real* const from[4], int64_t count, real* to) {
    int64_t k = 0;
#if defined(__SSE2__)
    typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
    for (; sizeof(real) == sizeof(float) && k + 4 <= count; k += 4, to += 4 * tile_columns) {
        const four a = *(const four*)(from[0] + k), b = *(const four*)(from[1] + k),
                   c = *(const four*)(from[2] + k), d = *(const four*)(from[3] + k);
        const four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                   cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const four ef = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                   gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        *(four*)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
        *(four*)(to + tile_columns) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
        *(four*)(to + 2 * tile_columns) = __builtin_shufflevector(ef, gh, 0, 1, 4, 5);
        *(four*)(to + 3 * tile_columns) = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
    }
#endif
    for (; k < count; ++k, to += tile_columns)
        for (int64_t c = 0; c < 4; ++c) to[c] = from[c][k];
}

/* The columns of one panel; column j begins at from + (offsets ? offsets[j] : j * step). */
static void pack_columns(const real* from, const int32_t* offsets, int64_t step, int64_t count,
                         int64_t columns, real* to) {
    int64_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        const real* four[4];
        for (int64_t c = 0; c < 4; ++c)
            four[c] = from + (offsets ? offsets[j + c] : (j + c) * step);
        pack_four_columns(four, count, to + j);
    }
    for (; j < columns; ++j) {
        const real* const column = from + (offsets ? offsets[j] : j * step);
        for (int64_t k = 0; k < count; ++k) to[k * tile_columns + j] = column[k];
    }
}

void pack_shifted(const product_blocks* p, int64_t k, int64_t count, int64_t j, int64_t columns,
                  real* to) {
    for (int64_t begin = 0; begin < columns; begin += tile_columns, to += count * tile_columns) {
        const int64_t own = least(tile_columns, columns - begin);
        if (own < tile_columns) memset(to, 0, (size_t)(count * tile_columns) * sizeof(real));
        pack_columns(p->b + k, p->offsets + j + begin, 0, count, own, to);
    }
}

void pack_strided(const product_blocks* p, int64_t k, int64_t count, int64_t j, int64_t columns,
                  real* to) {
    for (int64_t begin = 0; begin < columns; begin += tile_columns, to += count * tile_columns) {
        const int64_t own = least(tile_columns, columns - begin);
        const real* from = p->b + k * p->b_inner + (j + begin) * p->b_column;
        if (own < tile_columns) memset(to, 0, (size_t)(count * tile_columns) * sizeof(real));
        if (p->b_inner == 1 && p->b_column != 1) {
            pack_columns(from, NULL, p->b_column, count, own, to);
        } else if (p->b_column == 1) {
            for (int64_t r = 0; r < count; ++r)
                memcpy(to + r * tile_columns, from + r * p->b_inner, (size_t)own * sizeof(real));
        } else {
            for (int64_t r = 0; r < count; ++r)
                for (int64_t c = 0; c < own; ++c)
                    to[r * tile_columns + c] = from[r * p->b_inner + c * p->b_column];
        }
    }
}

/* A tile of which only some columns are there. */
static void narrow_tile(int64_t rows, int64_t columns, int64_t inner, const real* a, const real* b,
                        real* y, int64_t y_row, int add) {
    real whole[most_rows * tile_columns];
    tiles[rows - 1](inner, a, b, tile_columns, whole, tile_columns, 0);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            y[i * y_row + j] =
                add ? y[i * y_row + j] + whole[i * tile_columns + j] : whole[i * tile_columns + j];
}

/* One panel of a times rows of b as they lie in memory, which nothing else reads. */
static void multiply_rows(const product_blocks* p, int64_t k, int64_t count, const real* a,
                          real* packed, int add) {
    const int64_t whole = p->columns / tile_columns * tile_columns;
    const real* const b = p->b + k * p->b_inner;
    for (int64_t j = 0; j < whole; j += tile_columns)
        tiles[p->rows - 1](count, a, b + j, p->b_inner, p->y + j, p->y_row, add);
    if (whole == p->columns) return;
    pack_strided(p, k, count, whole, p->columns - whole, packed);
    narrow_tile(p->rows, p->columns - whole, count, a, packed, p->y + whole, p->y_row, add);
}

/* Block [rows from i, columns from j] of y: a packed block of a times a packed block of b. */
static void multiply_panels(const product_blocks* p, int64_t i, int64_t rows, int64_t height,
                            int64_t j, int64_t columns, int64_t count, const real* a, const real* b,
                            int add) {
    for (int64_t c = 0; c < columns; c += tile_columns, b += count * tile_columns) {
        const int64_t width = least(tile_columns, columns - c);
        const real* panel = a;
        for (int64_t r = 0; r < rows; r += height) {
            const int64_t own = least(height, rows - r);
            real* const y = p->y + (i + r) * p->y_row + j + c;
            if (width == tile_columns)
                tiles[own - 1](count, panel, b, tile_columns, y, p->y_row, add);
            else
                narrow_tile(own, width, count, panel, b, y, p->y_row, add);
            panel += own * count;
        }
    }
}

static void multiply_one_panel(const product_blocks* p, real* scratch) {
    for (int64_t k = 0; k < p->inner; k += CATENA_C_INNER) {
        const int64_t count = least(CATENA_C_INNER, p->inner - k);
        pack_a(p, 0, p->rows, k, count, p->rows, scratch);
        multiply_rows(p, k, count, scratch, scratch + count * p->rows, p->add || k > 0);
    }
}

void multiply_blocks(const product_blocks* p, real* scratch) {
    if (p->inner == 0 && !p->add)
        for (int64_t i = 0; i < p->rows; ++i)
            memset(p->y + i * p->y_row, 0, (size_t)p->columns * sizeof(real));
    if (p->rows > 0 && p->rows <= most_rows && p->pack_b == pack_strided && p->b_column == 1)
        return multiply_one_panel(p, scratch);
    const int64_t fitting = CATENA_C_ROWS / most_rows * most_rows;
    const int64_t row_blocks = pieces(p->rows, fitting),
                  block_rows = row_blocks ? pieces(p->rows, row_blocks) : 0;
    /* Panels of equal height, rather than full ones and a rest. */
    const int64_t height = block_rows ? pieces(block_rows, pieces(block_rows, most_rows)) : 1;
    for (int64_t j = 0; j < p->columns; j += CATENA_C_COLUMNS) {
        const int64_t columns = least(CATENA_C_COLUMNS, p->columns - j);
        for (int64_t k = 0; k < p->inner; k += CATENA_C_INNER) {
            const int64_t count = least(CATENA_C_INNER, p->inner - k);
            real* const b = scratch;
            real* const a = b + count * pieces(columns, tile_columns) * tile_columns;
            p->pack_b(p, k, count, j, columns, b);
            for (int64_t i = 0; i < p->rows; i += block_rows) {
                const int64_t rows = least(block_rows, p->rows - i);
                pack_a(p, i, rows, k, count, height, a);
                multiply_panels(p, i, rows, height, j, columns, count, a, b, p->add || k > 0);
            }
        }
    }
}

static real sum_of_lanes(vector v) {
    typedef real half_vector __attribute__((vector_size(vector_bytes / 2)));
    half_vector halves[2];
    memcpy(halves, &v, sizeof halves);
    const half_vector both = halves[0] + halves[1];
    real sum = 0;
    for (int i = 0; i < lanes / 2; ++i) sum += both[i];
    return sum;
}

/* See catena_c_few_rows. */
static void multiply_few_rows(const catena_c_product* p, const real* a, const real* b, real* y) {
    const int64_t whole = p->inner / lanes * lanes;
    for (int64_t j = 0; j < p->columns; j += 4) {
        const int64_t more = p->columns - j - 1;
        const real* const b0 = b + j * p->b_column;
        const real* const b1 = b0 + least(more, 1) * p->b_column;
        const real* const b2 = b0 + least(more, 2) * p->b_column;
        const real* const b3 = b0 + least(more, 3) * p->b_column;
        for (int64_t i = 0; i < p->rows; ++i) {
            const real* const row = a + i * p->a_row;
            vector s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
            for (int64_t k = 0; k < whole; k += lanes) {
                const vector x = *(const vector*)(row + k);
                s0 += x * *(const vector*)(b0 + k);
                s1 += x * *(const vector*)(b1 + k);
                s2 += x * *(const vector*)(b2 + k);
                s3 += x * *(const vector*)(b3 + k);
            }
            real sums[4] = {sum_of_lanes(s0), sum_of_lanes(s1), sum_of_lanes(s2), sum_of_lanes(s3)};
            for (int64_t k = whole; k < p->inner; ++k)
                sums[0] += row[k] * b0[k], sums[1] += row[k] * b1[k], sums[2] += row[k] * b2[k],
                    sums[3] += row[k] * b3[k];
            for (int64_t c = 0; c < least(4, more + 1); ++c) y[i * p->columns + j + c] = sums[c];
        }
    }
}

void CATENA_C_NAME(catena_c_product)(const catena_c_product* p, const real* a, const real* b,
                                     real* y, void* scratch) {
    const product_blocks blocks = {.rows = p->rows,
                                   .columns = p->columns,
                                   .inner = p->inner,
                                   .a = a,
                                   .a_row = p->a_row,
                                   .a_inner = p->a_inner,
                                   .pack_b = pack_strided,
                                   .b = b,
                                   .b_inner = p->b_inner,
                                   .b_column = p->b_column,
                                   .y = y,
                                   .y_row = p->columns};
    if (catena_c_few_rows(p))
        multiply_few_rows(p, a, b, y);
    else
        multiply_blocks(&blocks, scratch);
}
