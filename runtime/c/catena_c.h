/** @file
 * libcatena_c: matrix products and convolutions for programs that `catena export --c` writes. Plain
 * C on one thread, in the caller's memory; it needs only memset and memcpy. Every function exists
 * per instruction set, so that a program links only those it calls. */
#ifndef CATENA_C_H
#define CATENA_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** y[rows, columns] = a[rows, inner] b[inner, columns]. Strides are in elements; y is row-major. */
typedef struct catena_c_product {
    int64_t rows, columns, inner;              /**< The sizes. */
    int64_t a_row, a_inner, b_inner, b_column; /**< The strides of a and of b. */
} catena_c_product;

/** x[batch, channels, size...], W[filters, channels / groups, kernel...], y[batch, filters,
 * positions...], all row-major. With fewer than three axes the first ones are of size 1, kernel 1,
 * stride 1, pad 0 and dilate 1. */
typedef struct catena_c_convolution {
    int64_t batch, channels, filters, groups; /**< The groups divide channels and filters. */
    int64_t size[3], kernel[3];               /**< The sizes of an image and of a window. */
    int64_t positions[3];                     /**< How many windows there are along each axis. */
    int64_t stride[3], pad[3], dilate[3];     /**< Steps, zeros on each side, distances. */
} catena_c_convolution;

/** The functions for one type and one instruction set, whose name ends them (f32_avx2): a product,
 * a convolution, and its gradients towards the data (gx) and the weights (gW). They cannot fail,
 * and check nothing. The caller owns all memory; results are overwritten, what the others point to
 * is only read. `scratch` begins at a multiple of 64 bytes; how much there has to be is in
 * runtime/c/scratch.h, and in exported programs. */
#define CATENA_C_FUNCTIONS(type, suffix)                                                           \
    void catena_c_product_##suffix(const catena_c_product*, const type* a, const type* b, type* y, \
                                   void* scratch);                                                 \
    void catena_c_convolution_##suffix(const catena_c_convolution*, const type* x, const type* W,  \
                                       type* y, void* scratch);                                    \
    void catena_c_convolution_data_##suffix(const catena_c_convolution*, const type* gy,           \
                                            const type* W, type* gx, void* scratch);               \
    void catena_c_convolution_weights_##suffix(const catena_c_convolution*, const type* x,         \
                                               const type* gy, type* gW, void* scratch)

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
