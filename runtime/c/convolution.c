#include "runtime/c/blocks.h"

/* Convolutions are products with the matrix whose columns are windows of an image. Of that matrix
 * only the blocks that a product packs are ever formed. */

/* Neighbouring positions of one row of y. */
typedef struct run {
    int64_t first, count; /* Columns of a panel. */
    int64_t begin[3];     /* Of the first window, in x. */
} run;

static int find_runs(const catena_c_convolution* c, int64_t position, int64_t columns, run* runs) {
    int found = 0;
    for (int64_t first = 0; first < columns; ++found) {
        const int64_t at = position + first, w = at % c->positions[2],
                      h = at / c->positions[2] % c->positions[1],
                      d = at / c->positions[2] / c->positions[1];
        run* const r = &runs[found];
        r->first = first;
        r->count = least(c->positions[2] - w, columns - first);
        r->begin[0] = d * c->stride[0] - c->pad[0];
        r->begin[1] = h * c->stride[1] - c->pad[1];
        r->begin[2] = w * c->stride[2] - c->pad[2];
        first += r->count;
    }
    return found;
}

/* Row (d, h) of a plane; NULL outside of it. */
static const real* row_of(const catena_c_convolution* c, const real* plane, int64_t d, int64_t h) {
    if (d < 0 || d >= c->size[0] || h < 0 || h >= c->size[1]) return NULL;
    return plane + (d * c->size[1] + h) * c->size[2];
}

/* Elements w, w + step, ... of a row; 0 beyond its ends. */
static void copy_run(const real* row, int64_t width, int64_t w, int64_t step, int64_t count,
                     real* to) {
    int64_t begin = w >= 0 ? 0 : least((-w + step - 1) / step, count);
    int64_t end =
        row && width > w ? most(begin, least((width - w + step - 1) / step, count)) : begin;
    if (!row) begin = end = 0;
    for (int64_t t = 0; t < begin; ++t) to[t] = 0;
    if (step == 1)
        for (int64_t t = begin; t < end; ++t) to[t] = row[w + t];
    else
        for (int64_t t = begin; t < end; ++t) to[t] = row[w + t * step];
    for (int64_t t = end; t < count; ++t) to[t] = 0;
}

/* Where tap number `tap` of a window is, in x. */
static void tap_offset(const catena_c_convolution* c, int64_t tap, int64_t offset[3]) {
    offset[2] = tap % c->kernel[2] * c->dilate[2];
    offset[1] = tap / c->kernel[2] % c->kernel[1] * c->dilate[1];
    offset[0] = tap / c->kernel[2] / c->kernel[1] * c->dilate[0];
}

/* b[(channel, tap), position] */
static void pack_windows(const product_blocks* p, int64_t k, int64_t count, int64_t j,
                         int64_t columns, real* to) {
    const catena_c_convolution* const c = p->convolution;
    const int64_t taps = catena_c_count(c->kernel), plane = catena_c_count(c->size);
    run runs[tile_columns];
    for (int64_t begin = 0; begin < columns; begin += tile_columns) {
        const int64_t own = least(tile_columns, columns - begin);
        const int found = find_runs(c, j + begin, own, runs);
        for (int64_t row = k; row < k + count; ++row, to += tile_columns) {
            int64_t offset[3];
            tap_offset(c, row % taps, offset);
            for (int r = 0; r < found; ++r) {
                const real* const from =
                    row_of(c, p->b + row / taps * plane, runs[r].begin[0] + offset[0],
                           runs[r].begin[1] + offset[1]);
                copy_run(from, c->size[2], runs[r].begin[2] + offset[2], c->stride[2],
                         runs[r].count, to + runs[r].first);
            }
            for (int64_t t = own; t < tile_columns; ++t) to[t] = 0;
        }
    }
}

/* b[position, (channel, tap)] */
static void pack_windows_as_rows(const product_blocks* p, int64_t k, int64_t count, int64_t j,
                                 int64_t columns, real* to) {
    const catena_c_convolution* const c = p->convolution;
    const int64_t taps = catena_c_count(c->kernel), plane = catena_c_count(c->size);
    for (int64_t begin = 0; begin < columns; begin += tile_columns, to += count * tile_columns) {
        for (int64_t column = 0; column < tile_columns; ++column) {
            real* at = to + column;
            const int64_t own = j + begin + column;
            if (begin + column >= columns) {
                for (int64_t t = 0; t < count; ++t) at[t * tile_columns] = 0;
                continue;
            }
            int64_t offset[3];
            tap_offset(c, own % taps, offset);
            run r;
            for (int64_t done = 0; done < count; done += r.count) {
                find_runs(c, k + done, 1, &r);
                r.count = least(c->positions[2] - (k + done) % c->positions[2], count - done);
                const real* const row = row_of(c, p->b + own / taps * plane, r.begin[0] + offset[0],
                                               r.begin[1] + offset[1]);
                int64_t w = r.begin[2] + offset[2];
                for (int64_t t = 0; t < r.count; ++t, w += c->stride[2], at += tile_columns)
                    *at = row && w >= 0 && w < c->size[2] ? row[w] : 0;
            }
        }
    }
}

/* Whether a window is one element, and every element a window. */
static int pointwise(const catena_c_convolution* c) {
    for (int d = 0; d < 3; ++d)
        if (c->kernel[d] != 1 || c->stride[d] != 1 || c->pad[d] != 0) return 0;
    return 1;
}

void CATENA_C_NAME(catena_c_convolution)(const catena_c_convolution* c, const real* x,
                                         const real* W, real* y, void* scratch) {
    if (catena_c_shifts(c)) return shifted_convolution(c, x, W, y, scratch);
    const int64_t plane = catena_c_count(c->size), places = catena_c_count(c->positions),
                  filters = c->filters / c->groups, channels = c->channels / c->groups,
                  inner = channels * catena_c_count(c->kernel);
    for (int64_t n = 0; n < c->batch; ++n) {
        for (int64_t g = 0; g < c->groups; ++g) {
            const product_blocks blocks = {.rows = filters,
                                           .columns = places,
                                           .inner = inner,
                                           .a = W + g * filters * inner,
                                           .a_row = inner,
                                           .a_inner = 1,
                                           .pack_b = pointwise(c) ? pack_strided : pack_windows,
                                           .b = x + (n * c->channels + g * channels) * plane,
                                           .b_inner = plane,
                                           .b_column = 1,
                                           .convolution = c,
                                           .y = y + (n * c->filters + g * filters) * places,
                                           .y_row = places};
            multiply_blocks(&blocks, scratch);
        }
    }
}

void CATENA_C_NAME(catena_c_convolution_weights)(const catena_c_convolution* c, const real* x,
                                                 const real* gy, real* gW, void* scratch) {
    if (catena_c_shifts(c)) return shifted_weights(c, x, gy, gW, scratch);
    const int64_t plane = catena_c_count(c->size), places = catena_c_count(c->positions),
                  filters = c->filters / c->groups, channels = c->channels / c->groups,
                  columns = channels * catena_c_count(c->kernel);
    if (c->batch == 0) memset(gW, 0, (size_t)(c->filters * columns) * sizeof(real));
    for (int64_t n = 0; n < c->batch; ++n) {
        for (int64_t g = 0; g < c->groups; ++g) {
            const product_blocks blocks = {
                .rows = filters,
                .columns = columns,
                .inner = places,
                .a = gy + (n * c->filters + g * filters) * places,
                .a_row = places,
                .a_inner = 1,
                .pack_b = pointwise(c) ? pack_strided : pack_windows_as_rows,
                .b = x + (n * c->channels + g * channels) * plane,
                .b_inner = 1,
                .b_column = plane,
                .convolution = c,
                .y = gW + g * filters * columns,
                .y_row = columns,
                .add = n > 0};
            multiply_blocks(&blocks, scratch);
        }
    }
}

/* Adds a row of the matrix of windows, that of `tap`, to the plane that it was read from. */
static void add_windows(const catena_c_convolution* c, int64_t tap, const real* from, real* plane) {
    int64_t offset[3];
    tap_offset(c, tap, offset);
    const int64_t begin = offset[2] - c->pad[2], step = c->stride[2], width = c->size[2];
    const int64_t first = begin >= 0 ? 0 : least((-begin + step - 1) / step, c->positions[2]);
    const int64_t end =
        width > begin ? least((width - begin + step - 1) / step, c->positions[2]) : first;
    for (int64_t od = 0; od < c->positions[0]; ++od)
        for (int64_t oh = 0; oh < c->positions[1]; ++oh, from += c->positions[2]) {
            const int64_t d = od * c->stride[0] - c->pad[0] + offset[0],
                          h = oh * c->stride[1] - c->pad[1] + offset[1];
            if (d < 0 || d >= c->size[0] || h < 0 || h >= c->size[1]) continue;
            real* const row = plane + (d * c->size[1] + h) * width;
            if (step == 1)
                for (int64_t t = first; t < end; ++t) row[begin + t] += from[t];
            else
                for (int64_t t = first; t < end; ++t) row[begin + t * step] += from[t];
        }
}

void CATENA_C_NAME(catena_c_convolution_data)(const catena_c_convolution* c, const real* gy,
                                              const real* W, real* gx, void* scratch) {
    if (catena_c_data_shifts(c)) return shifted_data(c, gy, W, gx, scratch);
    const int64_t plane = catena_c_count(c->size), places = catena_c_count(c->positions),
                  taps = catena_c_count(c->kernel), filters = c->filters / c->groups,
                  channels = c->channels / c->groups;
    const int64_t block = catena_c_channel_block(c);
    unsigned char* free = scratch;
    real* const matrix = take(&free, block * taps * places, sizeof(real));
    real* const rest = (real*)(void*)free;
    memset(gx, 0, (size_t)(c->batch * c->channels * plane) * sizeof(real));
    for (int64_t n = 0; n < c->batch; ++n)
        for (int64_t g = 0; g < c->groups; ++g)
            for (int64_t first = 0; first < channels; first += block) {
                const int64_t own = least(block, channels - first);
                const product_blocks blocks = {.rows = own * taps,
                                               .columns = places,
                                               .inner = filters,
                                               .a = W + (g * filters * channels + first) * taps,
                                               .a_row = 1,
                                               .a_inner = channels * taps,
                                               .pack_b = pack_strided,
                                               .b = gy + (n * c->filters + g * filters) * places,
                                               .b_inner = places,
                                               .b_column = 1,
                                               .y = matrix,
                                               .y_row = places};
                multiply_blocks(&blocks, rest);
                real* const planes = gx + (n * c->channels + g * channels + first) * plane;
                for (int64_t k = 0; k < own * taps; ++k)
                    add_windows(c, k % taps, matrix + k * places, planes + k / taps * plane);
            }
}
