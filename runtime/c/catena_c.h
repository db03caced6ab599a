/* libcatena_c: matrix products and convolutions for programs that `catena export --c` writes. Plain C on one thread, in
 * memory of the caller, with no needs but memset and memcpy. Every function is there for each kind of processors, so that a
 * program links the one that it calls. */
#ifndef CATENA_C_H
#define CATENA_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y[rows, columns] = a[rows, inner] b[inner, columns]. Steps are in elements; y is row-major. */
typedef struct catena_c_product {
    int64_t rows, columns, inner;
    int64_t a_row, a_inner, b_inner, b_column;
} catena_c_product;

/* x[batch, channels, size...], W[filters, channels / groups, kernel...], y[batch, filters, positions...], all row-major.
 * With fewer than three axes the first ones are of size 1, kernel 1, stride 1, pad 0 and dilate 1. */
typedef struct catena_c_convolution {
    int64_t batch, channels, filters, groups;
    int64_t size[3], kernel[3], positions[3], stride[3], pad[3], dilate[3];
} catena_c_convolution;

/* How products are cut so that what is read again lies in the caches, in elements. */
enum { CATENA_C_ROWS = 120, CATENA_C_COLUMNS = 512, CATENA_C_INNER = 256, CATENA_C_COLUMN_BLOCK = 65536 };

static inline int64_t catena_c_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Bytes of scratch, at a multiple of 64 bytes, for elements of `element` bytes. */
static inline size_t catena_c_product_scratch(int64_t rows, int64_t columns, int64_t inner, size_t element) {
    const int64_t width = catena_c_least(rows, CATENA_C_ROWS) + 16 + catena_c_least(columns, CATENA_C_COLUMNS) + 32;
    return (size_t)(catena_c_least(inner, CATENA_C_INNER) * width) * element + 128;
}

/* Channels of a convolution whose gradients are formed at once. */
static inline int64_t catena_c_channel_block(const catena_c_convolution* c) {
    int64_t each = 1;
    for (int d = 0; d < 3; ++d) each *= c->kernel[d] * c->positions[d];
    const int64_t most = each > 0 ? CATENA_C_COLUMN_BLOCK / each : 1;
    return most < 1 ? 1 : catena_c_least(most, c->channels / c->groups);
}

/* The same for any of the three convolutions. */
static inline size_t catena_c_convolution_scratch(const catena_c_convolution* c, size_t element) {
    int64_t taps = 1, places = 1, block = catena_c_channel_block(c);
    for (int d = 0; d < 3; ++d) taps *= c->kernel[d], places *= c->positions[d];
    const int64_t filters = c->filters / c->groups, weights = c->channels / c->groups * taps;
    const size_t forward = catena_c_product_scratch(filters, places, weights, element);
    const size_t of_weights = catena_c_product_scratch(filters, weights, places, element);
    const size_t of_data = catena_c_product_scratch(block * taps, places, filters, element) +
                           ((size_t)(block * taps * places) * element + 63) / 64 * 64;
    const size_t most = forward > of_weights ? forward : of_weights;
    return most > of_data ? most : of_data;
}

#define CATENA_C_FUNCTIONS(type, suffix)                                                                                \
    void catena_c_product_##suffix(const catena_c_product*, const type* a, const type* b, type* y, void* scratch);      \
    void catena_c_convolution_##suffix(const catena_c_convolution*, const type* x, const type* W, type* y, void* scratch); \
    void catena_c_convolution_data_##suffix(const catena_c_convolution*, const type* gy, const type* W, type* gx,       \
                                            void* scratch);                                                             \
    void catena_c_convolution_weights_##suffix(const catena_c_convolution*, const type* x, const type* gy, type* gW,    \
                                               void* scratch)

CATENA_C_FUNCTIONS(float, f32_scalar);
CATENA_C_FUNCTIONS(double, f64_scalar);
#if defined(__x86_64__)
CATENA_C_FUNCTIONS(float, f32_avx2);
CATENA_C_FUNCTIONS(double, f64_avx2);
CATENA_C_FUNCTIONS(float, f32_avx512);
CATENA_C_FUNCTIONS(double, f64_avx512);
#endif

#ifdef __cplusplus
}
#endif

#endif
