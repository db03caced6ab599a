#include <dnnl.hpp>

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/rows/gemm_rows.h"
#include "runtime/cpu/onednn/onednn.h"
#include "runtime/cpu/product/product_division.h"
#include "runtime/cpu/product/tiles/product_tiles.h"
#include "runtime/cpu/product/sgemm.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

// oneDNN's sgemm divides a product by the number of threads, and sums k in other pieces for other
// numbers. Here the product is divided by its sizes alone and oneDNN computes each part on one
// thread, so that the result has the same bits on any number of threads; or tiles of our own do,
// where they are faster.

namespace catena {
namespace {

struct Product {
    bool transa, transb;
    int64_t m, n, k;
    float alpha;
    const float* a;
    int64_t lda;
    const float* b;
    int64_t ldb;
    float beta;
    float* c;
    int64_t ldc;
    const float* columns;  ///< As of TileProduct.
    int64_t column_step;
    const float* row;  ///< Added to each row of c where it is not null; beta is 0 then.
};

Product part(const Product& p, ProductRange rows, ProductRange columns, ProductRange depth) {
    Product q = p;
    q.m = rows.size(), q.n = columns.size(), q.k = depth.size();
    q.a += p.transa ? depth.begin * p.lda + rows.begin : rows.begin * p.lda + depth.begin;
    q.b += p.transb ? columns.begin * p.ldb + depth.begin : depth.begin * p.ldb + columns.begin;
    if (p.columns) q.columns += columns.begin / 16 * p.column_step + depth.begin * 16;
    q.c += rows.begin * p.ldc + columns.begin;
    if (p.row) q.row += columns.begin;
    return q;
}

void fill(const Product& p) {
    for (int64_t i = 0; i < p.m; ++i) std::copy_n(p.row, p.n, p.c + i * p.ldc);
}

TileProduct tiles(const Product& p) {
    return {.transa = p.transa,
            .transb = p.transb,
            .m = p.m,
            .n = p.n,
            .k = p.k,
            .a = p.a,
            .lda = p.lda,
            .b = p.b,
            .ldb = p.ldb,
            .plus = p.row         ? p.row
                    : p.beta == 0 ? nullptr
                                  : p.c,
            .plus_row = p.row ? 0 : p.ldc,
            .c = p.c,
            .ldc = p.ldc,
            .columns = p.columns,
            .column_step = p.column_step};
}

void run(const Product& p) {
    if (p.alpha == 1 && (p.beta == 0 || p.beta == 1) && are_tiles_faster(tiles(p)))
        return multiply_in_tiles(tiles(p));
    if (p.row) fill(p);
    onednn::OneThread scope;
    const dnnl_status_t status =
        dnnl_sgemm(p.transa ? 'T' : 'N', p.transb ? 'T' : 'N', p.m, p.n, p.k, p.alpha, p.a, p.lda,
                   p.b, p.ldb, p.row ? 1 : p.beta, p.c, p.ldc);
    if (status != dnnl_success) throw dnnl::error(status, "dnnl_sgemm");  // No memory, mostly.
}

/// c = the sum of the pieces + beta c, or + the row, row by row.
void add_up(const Product& p, const float* pieces, int64_t count) {
    parallel_for(p.m, machine::grain_of_elements(p.n * count), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            for (int64_t j = 0; j < p.n; ++j) {
                float sum = pieces[i * p.n + j];
                for (int64_t piece = 1; piece < count; ++piece)
                    sum += pieces[(piece * p.m + i) * p.n + j];
                float& c = p.c[i * p.ldc + j];
                c = p.row ? sum + p.row[j] : p.beta == 0 ? sum : sum + p.beta * c;
            }
    });
}

size_t bytes_of_pieces(const ProductDivision& d, int64_t m, int64_t n) {
    return d.depth > 1 ? Scratch::rounded(size_t(d.depth * m * n) * sizeof(float)) : 0;
}

void run_divided(const Product& p, const ProductDivision& d, std::span<std::byte> scratch) {
    const size_t bytes = bytes_of_pieces(d, p.m, p.n);
    Scratch memory(scratch, bytes);
    float* const pieces = reinterpret_cast<float*>(memory.take(bytes));
    parallel_for(d.count(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t piece = i / (d.rows * d.columns);
            Product whole = p;
            if (d.depth > 1) {
                whole.c = pieces + piece * p.m * p.n;
                whole.ldc = p.n;
                whole.beta = 0;
                whole.row = nullptr;
            }
            run(part(whole, product_range(p.m, i / d.columns % d.rows, d.rows),
                     product_range(p.n, i % d.columns, d.columns),
                     product_range(p.k, piece, d.depth)));
        }
    });
    if (d.depth > 1) add_up(p, pieces, d.depth);
}

}  // namespace

void sgemm(bool transa, bool transb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc,
           std::span<std::byte> scratch, const float* row, const Array& columns) {
    if (m == 0 || n == 0) return;
    const bool is_kept = columns.defined();
    const Product p{transa,
                    transb,
                    m,
                    n,
                    k,
                    alpha,
                    a,
                    lda,
                    b,
                    ldb,
                    beta,
                    c,
                    ldc,
                    is_kept ? columns.elements<float>() : nullptr,
                    is_kept ? columns.dim(1) * columns.dim(2) : 0,
                    row};
    if (k == 0) {
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j)
                c[i * ldc + j] = row ? row[j] : beta == 0 ? 0 : beta * c[i * ldc + j];
        return;
    }
    if (!transa && transb && alpha == 1 && has_few_rows(m, n, k)) {
        if (row) fill(p);
        sgemm_few_rows(m, n, k, a, lda, b, ldb, row ? 1 : beta, c, ldc);
        return;
    }
    run_divided(p, divide_product(m, n, k), scratch);
}

size_t sgemm_scratch_bytes(int64_t m, int64_t n, int64_t k) {
    return m == 0 || n == 0 || k == 0 ? 0 : bytes_of_pieces(divide_product(m, n, k), m, n);
}

}  // namespace catena
