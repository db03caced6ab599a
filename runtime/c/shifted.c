#include "runtime/c/blocks.h"

#define TILE_PARAMETER const int32_t* offsets
#define TILE_ROW (b + offsets[k])
#include "runtime/c/tile.h"

/* Convolutions of step 1. Where rows of positions are as far apart as rows of the padded image, the
 * positions of each tap of the kernel are the image from another place on: no matrix of windows is
 * needed. Positions that do not exist, between one row and the next, are computed and left out. */

/* One side is read through windows (x, or gy for the gradient towards x), the other is written. */
typedef struct shifted {
    int64_t channels, rows;        /* Of one group: read, written. */
    const int64_t *read, *written; /* Sizes. */
    int64_t pad[3], pitch[3]; /* What is before the image that is read, and its padded sizes. */
    int64_t w_row, w_channel; /* Steps of the weights; that of taps is 1. */
    int backwards;            /* The last tap comes first. */
} shifted;

static void set_sizes(shifted* s, const catena_c_convolution* c) {
    for (int d = 0; d < 3; ++d) {
        const int64_t reach = (c->kernel[d] - 1) * c->dilate[d];
        s->pad[d] = s->backwards ? reach - c->pad[d] : c->pad[d];
        s->pitch[d] = s->written[d] + reach;
    }
}

/* Where the windows' (channel, tap) begins in the padded images. */
static void find_offsets(const shifted* s, const catena_c_convolution* c, int32_t* offsets) {
    const int64_t plane = catena_c_count(s->pitch);
    for (int64_t channel = 0; channel < s->channels; ++channel)
        for (int64_t d = 0; d < c->kernel[0]; ++d)
            for (int64_t h = 0; h < c->kernel[1]; ++h)
                for (int64_t w = 0; w < c->kernel[2]; ++w) {
                    const int64_t at[3] = {s->backwards ? c->kernel[0] - 1 - d : d,
                                           s->backwards ? c->kernel[1] - 1 - h : h,
                                           s->backwards ? c->kernel[2] - 1 - w : w};
                    *offsets++ =
                        (int32_t)(channel * plane +
                                  (at[0] * c->dilate[0] * s->pitch[1] + at[1] * c->dilate[1]) *
                                      s->pitch[2] +
                                  at[2] * c->dilate[2]);
                }
}

/* Copies images into padded ones. Elements beyond the padded size are in no window. */
static void pad_images(const shifted* s, const real* from, int64_t count, real* to) {
    const int64_t plane = catena_c_count(s->pitch);
    memset(to, 0, (size_t)(count * plane + CATENA_C_SLACK) * sizeof(real));
    const int64_t width = least(s->read[2], s->pitch[2] - s->pad[2]);
    for (int64_t n = 0; n < count; ++n, to += plane)
        for (int64_t d = 0; d < s->read[0]; ++d)
            for (int64_t h = 0; h < s->read[1]; ++h, from += s->read[2])
                if (width > 0 && d + s->pad[0] < s->pitch[0] && h + s->pad[1] < s->pitch[1])
                    memcpy(to + ((d + s->pad[0]) * s->pitch[1] + h + s->pad[1]) * s->pitch[2] +
                               s->pad[2],
                           from, (size_t)width * sizeof(real));
}

/* Copies what exists of columns from `place` on of a tile to rows of the result. */
static void store_tile(const shifted* s, const real* tile, int64_t place, int64_t rows, real* y) {
    const int64_t size = catena_c_count(s->written);
    for (int64_t column = 0; column < tile_columns;) {
        const int64_t w = (place + column) % s->pitch[2],
                      h = (place + column) / s->pitch[2] % s->pitch[1],
                      d = (place + column) / s->pitch[2] / s->pitch[1];
        if (d >= s->written[0]) return;
        if (h < s->written[1] && w < s->written[2]) {
            const int64_t count = least(s->written[2] - w, tile_columns - column);
            real* const to = y + (d * s->written[1] + h) * s->written[2] + w;
            for (int64_t r = 0; r < rows; ++r)
                memcpy(to + r * size, tile + r * tile_columns + column,
                       (size_t)count * sizeof(real));
        }
        column += s->pitch[2] - w;
    }
}

/* Rows [0, rows) of the result for one padded image. */
static void multiply_image(const shifted* s, const real* a, const int32_t* offsets, int64_t inner,
                           const real* image, int64_t rows, int64_t height, int64_t span, real* y) {
    real tile[most_rows * tile_columns];
    for (int64_t place = 0; place < span; place += tile_columns) {
        const real* panel = a;
        for (int64_t r = 0; r < rows; r += height) {
            const int64_t own = least(height, rows - r);
            tiles[own - 1](inner, panel, image + place, offsets, tile, tile_columns, 0);
            store_tile(s, tile, place, own, y + r * catena_c_count(s->written));
            panel += own * inner;
        }
    }
}

static void pack_weights(const shifted* s, const real* W, int64_t taps, int64_t rows,
                         int64_t height, real* to) {
    for (int64_t begin = 0; begin < rows; begin += height) {
        const int64_t own = least(height, rows - begin);
        for (int64_t channel = 0; channel < s->channels; ++channel)
            for (int64_t tap = 0; tap < taps; ++tap)
                for (int64_t r = 0; r < own; ++r)
                    *to++ = W[(begin + r) * s->w_row + channel * s->w_channel + tap];
    }
}

static void convolve(const shifted* s, const catena_c_convolution* c, const real* x, const real* W,
                     real* y, void* scratch) {
    const int64_t taps = catena_c_count(c->kernel), inner = s->channels * taps,
                  size = catena_c_count(s->written);
    if (s->rows == 0) return;
    const int64_t fitting = most(
        most_rows, least(CATENA_C_ROWS, CATENA_C_WEIGHTS / most(inner, 1)) / most_rows * most_rows);
    const int64_t block = least(fitting, s->rows), height = pieces(block, pieces(block, most_rows));
    unsigned char* free = scratch;
    int32_t* const offsets = take(&free, inner, sizeof(int32_t));
    real* const a = take(&free, (block + 16) * inner, sizeof(real));
    real* const image =
        take(&free, s->channels * catena_c_count(s->pitch) + CATENA_C_SLACK, sizeof(real));
    find_offsets(s, c, offsets);
    for (int64_t g = 0; g < c->groups; ++g)
        for (int64_t first = 0; first < s->rows; first += block) {
            const int64_t rows = least(block, s->rows - first);
            pack_weights(s, W + g * s->rows * inner + first * s->w_row, taps, rows, height, a);
            for (int64_t n = 0; n < c->batch; ++n) {
                const int64_t own = n * c->groups + g;
                pad_images(s, x + own * s->channels * catena_c_count(s->read), s->channels, image);
                multiply_image(s, a, offsets, inner, image, rows, height,
                               catena_c_span(c, s->written), y + (own * s->rows + first) * size);
            }
        }
}

void shifted_convolution(const catena_c_convolution* c, const real* x, const real* W, real* y,
                         void* scratch) {
    const int64_t taps = catena_c_count(c->kernel), channels = c->channels / c->groups;
    shifted s = {.channels = channels,
                 .rows = c->filters / c->groups,
                 .read = c->size,
                 .written = c->positions,
                 .w_row = channels * taps,
                 .w_channel = taps};
    set_sizes(&s, c);
    convolve(&s, c, x, W, y, scratch);
}

void shifted_data(const catena_c_convolution* c, const real* gy, const real* W, real* gx,
                  void* scratch) {
    const int64_t taps = catena_c_count(c->kernel), channels = c->channels / c->groups;
    shifted s = {.channels = c->filters / c->groups,
                 .rows = channels,
                 .read = c->positions,
                 .written = c->size,
                 .w_row = taps,
                 .w_channel = channels * taps,
                 .backwards = 1};
    set_sizes(&s, c);
    convolve(&s, c, gy, W, gx, scratch);
}

/* Rows of gy as far apart as those of the padded image, zeros between them. */
static void spread_rows(const shifted* s, const real* gy, int64_t count, int64_t span, real* to) {
    memset(to, 0, (size_t)(count * span) * sizeof(real));
    for (int64_t n = 0; n < count; ++n, to += span)
        for (int64_t d = 0; d < s->written[0]; ++d)
            for (int64_t h = 0; h < s->written[1]; ++h, gy += s->written[2])
                memcpy(to + (d * s->pitch[1] + h) * s->pitch[2], gy,
                       (size_t)s->written[2] * sizeof(real));
}

void shifted_weights(const catena_c_convolution* c, const real* x, const real* gy, real* gW,
                     void* scratch) {
    const int64_t taps = catena_c_count(c->kernel), span = catena_c_span(c, c->positions);
    shifted s = {.channels = c->channels / c->groups,
                 .rows = c->filters / c->groups,
                 .read = c->size,
                 .written = c->positions};
    set_sizes(&s, c);
    const int64_t columns = s.channels * taps;
    unsigned char* free = scratch;
    int32_t* const offsets = take(&free, columns, sizeof(int32_t));
    real* const image =
        take(&free, s.channels * catena_c_count(s.pitch) + CATENA_C_SLACK, sizeof(real));
    real* const rows = take(&free, s.rows * span, sizeof(real));
    find_offsets(&s, c, offsets);
    if (c->batch == 0) memset(gW, 0, (size_t)(c->filters * columns) * sizeof(real));
    for (int64_t n = 0; n < c->batch; ++n)
        for (int64_t g = 0; g < c->groups; ++g) {
            const int64_t own = n * c->groups + g;
            pad_images(&s, x + own * s.channels * catena_c_count(c->size), s.channels, image);
            spread_rows(&s, gy + own * s.rows * catena_c_count(c->positions), s.rows, span, rows);
            const product_blocks blocks = {.rows = s.rows,
                                           .columns = columns,
                                           .inner = span,
                                           .a = rows,
                                           .a_row = span,
                                           .a_inner = 1,
                                           .pack_b = pack_shifted,
                                           .b = image,
                                           .offsets = offsets,
                                           .y = gW + g * s.rows * columns,
                                           .y_row = columns,
                                           .add = n > 0};
            multiply_blocks(&blocks, (real*)(void*)free);
        }
}
