/* The scratch memory that functions of libcatena_c need, and the conditions that choose their
 * algorithm. */
#ifndef CATENA_C_SCRATCH_H
#define CATENA_C_SCRATCH_H

#include "runtime/c/catena_c.h"

/* Block sizes of products, in elements, chosen so that reused data stays in the caches. */
enum {
    CATENA_C_ROWS = 120,
    CATENA_C_COLUMNS = 512,
    CATENA_C_INNER = 256,
    CATENA_C_MATRIX = 65536,   /* Of windows, at once. */
    CATENA_C_WEIGHTS = 131072, /* Of a convolution, at once. */
    CATENA_C_SLACK = 64        /* That a tile may read behind an image. */
};

static inline int64_t catena_c_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t catena_c_most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t catena_c_count(const int64_t size[3]) { return size[0] * size[1] * size[2]; }
static inline size_t catena_c_bytes(int64_t count, size_t element) {
    return ((size_t)count * element + 63) / 64 * 64;
}

/* Few rows times contiguous columns: packing would not pay. */
static inline int catena_c_few_rows(const catena_c_product* p) {
    return p->rows <= 4 && p->a_inner == 1 && p->b_inner == 1;
}

static inline size_t catena_c_blocks_scratch(int64_t rows, int64_t columns, int64_t inner,
                                             size_t element) {
    const int64_t width =
        catena_c_least(rows, CATENA_C_ROWS) + 16 + catena_c_least(columns, CATENA_C_COLUMNS) + 32;
    return catena_c_bytes(catena_c_least(inner, CATENA_C_INNER) * width, element) + 128;
}

/* Bytes, for elements of `element` bytes. */
static inline size_t catena_c_product_scratch(const catena_c_product* p, size_t element) {
    return catena_c_few_rows(p) ? 0
                                : catena_c_blocks_scratch(p->rows, p->columns, p->inner, element);
}

/* Channels whose gradients are computed together from the matrix of windows (im2col). */
static inline int64_t catena_c_channel_block(const catena_c_convolution* c) {
    const int64_t each = catena_c_count(c->kernel) * catena_c_count(c->positions);
    return catena_c_most(
        1, catena_c_least(each > 0 ? CATENA_C_MATRIX / each : 1, c->channels / c->groups));
}

/* A convolution with stride 1 that reads images of `size` with `pad` and has `places` results. */
static inline int64_t catena_c_padded_plane(const catena_c_convolution* c,
                                            const int64_t places[3]) {
    int64_t plane = 1;
    for (int d = 0; d < 3; ++d) plane *= places[d] + (c->kernel[d] - 1) * c->dilate[d];
    return plane;
}
static inline size_t catena_c_shifted_scratch(int64_t rows, int64_t channels, int64_t taps,
                                              int64_t plane, size_t element) {
    const int64_t inner = channels * taps;
    const int64_t block = catena_c_most(
        16, catena_c_least(CATENA_C_ROWS, CATENA_C_WEIGHTS / catena_c_most(inner, 1)));
    return catena_c_bytes(inner, sizeof(int32_t)) +
           catena_c_bytes((catena_c_least(rows, block) + 16) * inner, element) +
           catena_c_bytes(channels * plane + CATENA_C_SLACK, element);
}

/* Whether windows are contiguous, so that a shifted image replaces a row of the matrix of windows.
 */
static inline int catena_c_shifts(const catena_c_convolution* c) {
    const int64_t plane = catena_c_padded_plane(c, c->size),
                  channels = catena_c_most(c->channels, c->filters);
    int steps_of_one = plane < (1 << 30) / catena_c_most(channels, 1);
    for (int d = 0; d < 3; ++d) steps_of_one = steps_of_one && c->stride[d] == 1;
    return steps_of_one && catena_c_count(c->kernel) > 1;
}
/* The same for the gradient of x, which reads gy with the remaining padding. */
static inline int catena_c_data_shifts(const catena_c_convolution* c) {
    int fits = catena_c_shifts(c);
    for (int d = 0; d < 3; ++d) fits = fits && c->pad[d] <= (c->kernel[d] - 1) * c->dilate[d];
    return fits;
}

/* Places of a padded image from the first window to the last. */
static inline int64_t catena_c_span(const catena_c_convolution* c, const int64_t places[3]) {
    const int64_t height = places[1] + (c->kernel[1] - 1) * c->dilate[1],
                  width = places[2] + (c->kernel[2] - 1) * c->dilate[2];
    return ((places[0] - 1) * height + places[1] - 1) * width + places[2];
}

/* Bytes for any of the three convolutions. */
static inline size_t catena_c_convolution_scratch(const catena_c_convolution* c, size_t element) {
    const int64_t taps = catena_c_count(c->kernel), places = catena_c_count(c->positions),
                  filters = c->filters / c->groups, channels = c->channels / c->groups,
                  weights = channels * taps;
    size_t forward = catena_c_blocks_scratch(filters, places, weights, element);
    size_t of_weights = catena_c_blocks_scratch(filters, weights, places, element);
    if (catena_c_shifts(c)) {
        const int64_t plane = catena_c_padded_plane(c, c->positions),
                      span = catena_c_span(c, c->positions);
        forward = catena_c_shifted_scratch(filters, channels, taps, plane, element);
        of_weights = catena_c_bytes(weights, sizeof(int32_t)) +
                     catena_c_bytes(channels * plane + CATENA_C_SLACK, element) +
                     catena_c_bytes(filters * span, element) +
                     catena_c_blocks_scratch(filters, weights, span, element);
    }
    size_t of_data = catena_c_shifted_scratch(channels, filters, taps,
                                              catena_c_padded_plane(c, c->size), element);
    if (!catena_c_data_shifts(c)) {
        const int64_t rows = catena_c_channel_block(c) * taps;
        of_data = catena_c_blocks_scratch(rows, places, filters, element) +
                  catena_c_bytes(rows * places, element);
    }
    const size_t most = forward > of_weights ? forward : of_weights;
    return most > of_data ? most : of_data;
}

#endif
