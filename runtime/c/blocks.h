/* Shared by the sources of libcatena_c, which are compiled once per element type (CATENA_REAL) and
 * instruction set (CATENA_SUFFIX, f32_avx2). */
#ifndef CATENA_C_BLOCKS_H
#define CATENA_C_BLOCKS_H

#include <string.h>

#include "runtime/c/scratch.h"

#define CATENA_C_PASTE_(a, b) a##_##b
#define CATENA_C_PASTE(a, b) CATENA_C_PASTE_(a, b)
/* catena_c_product_f32_avx2 */
#define CATENA_C_NAME(name) CATENA_C_PASTE(name, CATENA_SUFFIX)

typedef CATENA_REAL real;

#if defined(__AVX512F__)
enum { vector_bytes = 64, most_rows = 14 };
#elif defined(__AVX2__)
enum { vector_bytes = 32, most_rows = 6 };
#else
enum { vector_bytes = 16, most_rows = 6 };
#endif
/* A tile of the result is `most_rows` or fewer rows of two vectors, so that it stays in registers.
 */
enum { lanes = vector_bytes / sizeof(real), tile_columns = 2 * lanes };
typedef real vector
    __attribute__((vector_size(vector_bytes), aligned(__alignof__(real)), may_alias));

typedef struct product_blocks product_blocks;
/* A product whose operands are fetched block by block: pack_b writes b[inner from k, columns from
 * j] as panels of tile_columns columns, each row-major, the last one padded with zeros. */
struct product_blocks {
    int64_t rows, columns, inner;
    const real* a;
    int64_t a_row, a_inner;
    void (*pack_b)(const product_blocks*, int64_t k, int64_t count, int64_t j, int64_t columns,
                   real* to);
    const real* b;
    int64_t b_inner, b_column;               /* Of pack_strided. */
    const catena_c_convolution* convolution; /* Of pack_windows, */
    const int32_t* offsets; /* and of pack_shifted: where each column begins in b. */
    real* y;
    int64_t y_row;
    int add; /* To what is in y. */
};

#define multiply_blocks CATENA_C_NAME(catena_c_multiply_blocks)
#define pack_strided CATENA_C_NAME(catena_c_pack_strided)
#define pack_shifted CATENA_C_NAME(catena_c_pack_shifted)
void multiply_blocks(const product_blocks* product, real* scratch);
void pack_strided(const product_blocks* product, int64_t k, int64_t count, int64_t j,
                  int64_t columns, real* to);
void pack_shifted(const product_blocks* product, int64_t k, int64_t count, int64_t j,
                  int64_t columns, real* to);

/* Convolutions with stride 1. */
#define shifted_convolution CATENA_C_NAME(catena_c_shifted_convolution)
#define shifted_data CATENA_C_NAME(catena_c_shifted_data)
#define shifted_weights CATENA_C_NAME(catena_c_shifted_weights)
void shifted_convolution(const catena_c_convolution* c, const real* x, const real* W, real* y,
                         void* scratch);
void shifted_data(const catena_c_convolution* c, const real* gy, const real* W, real* gx,
                  void* scratch);
void shifted_weights(const catena_c_convolution* c, const real* x, const real* gy, real* gW,
                     void* scratch);

static inline int64_t least(int64_t a, int64_t b) { return catena_c_least(a, b); }
static inline int64_t most(int64_t a, int64_t b) { return catena_c_most(a, b); }
static inline int64_t pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }
/* Takes an aligned part of the scratch memory. */
static inline void* take(unsigned char** scratch, int64_t count, size_t element) {
    void* const taken = *scratch;
    *scratch += catena_c_bytes(count, element);
    return taken;
}

#endif
