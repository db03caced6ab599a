#include "runtime/cpu/product/measured_product.h"

#include <algorithm>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/product_division.h"
#include "runtime/cpu/product/tiles/product_tiles.h"
#include "runtime/cpu/product/tiles/tile.h"

namespace catena {
namespace {

/// Rows of a block of the statistics: so many that all threads get the same number of them, if that
/// is possible.
int64_t rows_of_block(int64_t m) {
    const int64_t step = tile_shape().rows, most = 256 / step * step, least = 32,
                  otherwise = 128 / step * step;
    for (int64_t rows = most; rows >= least; rows -= step)
        if (m % (2 * rows) == 0) return rows;
    return otherwise;
}

int64_t even(int64_t n) { return n > 1 ? n / 2 * 2 : 1; }

/// Parts for threads: of rows, each of which packs b once more, or of columns, where rows are few.
struct Division {
    int64_t rows, columns;

    Division(int64_t m, int64_t n) {
        constexpr int64_t most = 16, rows_of_part = 512, columns_of_part = 96;
        rows = std::clamp<int64_t>(even(m / rows_of_part), 1, most);
        columns = rows == 1 ? std::clamp<int64_t>(even(n / columns_of_part), 1, most) : 1;
    }
};

}  // namespace

bool has_measured_products() { return has_avx512() && has_product_tiles(); }

bool multiply_and_measure(const MeasuredProduct& p, ColumnStatistics& statistics) {
    constexpr int64_t least = 32;
    if (!has_measured_products() || p.m < least || p.n < least || p.k < least) return false;
    const int64_t block = rows_of_block(p.m), blocks = (p.m + block - 1) / block;
    const Division parts(p.m, p.n);
    statistics.prepare(blocks, p.n);
    parallel_for(parts.rows * parts.columns, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t part = i / parts.columns;
            const int64_t first = blocks * part / parts.rows * block,
                          last = std::min(p.m, blocks * (part + 1) / parts.rows * block);
            const ProductRange columns = product_range(p.n, i % parts.columns, parts.columns);
            if (first >= last || columns.size() == 0) continue;
            const StatisticsPlace place{.statistics = &statistics,
                                        .rows_of_block = block,
                                        .row = first,
                                        .column = columns.begin};
            multiply_in_tiles({.transa = false,
                               .transb = true,
                               .m = last - first,
                               .n = columns.size(),
                               .k = p.k,
                               .a = p.a + first * p.k,
                               .lda = p.k,
                               .b = p.b + columns.begin * p.k,
                               .ldb = p.k,
                               .plus = nullptr,
                               .plus_row = 0,
                               .c = p.c + first * p.n + columns.begin,
                               .ldc = p.n,
                               .measured = &place});
        }
    });
    return true;
}

}  // namespace catena
