#pragma once

#include <cstdint>

#include "runtime/cpu/column_statistics.h"

namespace catena {

/// Statistics of the columns of a matrix, of which a product computes the part from `row` and
/// `column` on. `row` is the first one of a block; `rows_of_block` are a multiple of a tile's.
struct StatisticsPlace {
    ColumnStatistics* statistics;
    int64_t rows_of_block, row, column;
};

/// The operands of row-major c = op(a) op(b) + plus in float32 on the calling thread: op(a) is m x
/// k, op(b) k x n, op() transposes where its flag is set, lda... are the distances between stored
/// rows.
struct TileProduct {
    bool transa, transb;
    int64_t m, n, k;
    const float* a;
    int64_t lda;
    const float* b;
    int64_t ldb;
    const float* plus;  ///< The matrix or row that is added; null: nothing. May be c.
    int64_t plus_row;   ///< Distance between rows of `plus`; 0: it is one row, added to all.
    float* c;
    int64_t ldc;
    /// op(b) in the cached form of runtime/cpu/product/kept/kept_columns.h, from this product's
    /// first column and row on; null: it is not cached.
    const float* columns = nullptr;
    int64_t column_step = 0;  ///< Distance from sixteen columns to the next.
    /// The product that this thread computes next, if that is known; its matrices, if they are
    /// small, are prefetched.
    const TileProduct* following = nullptr;
    const StatisticsPlace* measured =
        nullptr;  ///< Receiver of the rows of c as they are stored; null: none.
};

/// Whether the processor has the instructions (AVX2 or AVX-512). Never with CATENA_PRODUCT_TILES=0.
bool has_product_tiles();

/// Whether has_product_tiles() and tiles are faster than oneDNN (benchmarks/products.cpp). oneDNN
/// is slower where b is transposed, or a is and k is long; where what it copies has rows multiples
/// of 4096 bytes apart, so that they share few cache lines; and in small products, such as those of
/// attention. With AVX2 the cases are rows that share lines, and products of 128 to 512 rows with a
/// long k, for which b may be cached (runtime/cpu/product/kept/kept_columns.h). Pointers do not
/// matter.
bool are_tiles_faster(const TileProduct& product);

/// Computes a product in tiles, for sizes with are_tiles_faster(). The method is K. Goto, R. van de
/// Geijn, Anatomy of High-Performance Matrix Multiplication, 2008. But a is read where it is,
/// unless it is transposed and c has many columns, and packing is done by the tiles that first
/// multiply the data; the others prefetch. A sum runs along k, in blocks that depend on k alone, so
/// no bit depends on how c is divided by rows and columns. Zeros at the beginning and the end of
/// rows of op(a) cost little, as in attention under a causal mask: where b is finite they are not
/// multiplied.
void multiply_in_tiles(const TileProduct& product);

}  // namespace catena
