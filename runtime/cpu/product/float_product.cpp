#include "runtime/cpu/product/float_product.h"

#include <algorithm>

#include "runtime/cpu/product/gemm.h"
#include "runtime/cpu/product/kept/kept_rows.h"
#include "runtime/cpu/product/small_product.h"
#include "runtime/cpu/product/tiles/product_tiles.h"

namespace catena {
namespace {

void write_rows(const float* row, int64_t rows, int64_t columns, float* y) {
    for (int64_t i = 0; i < rows; ++i) std::copy_n(row, columns, y + i * columns);
}

}  // namespace

FloatProduct::FloatProduct(const Array& a, const Array& b, bool transa, bool transb, const Array& y)
    : batches_(a, b, transa, transb, y) {
    const ProductBatches& p = batches_;
    is_small_ = is_small_product({.transa = p.a.transposed,
                                  .transb = p.b.transposed,
                                  .m = p.m,
                                  .n = p.n,
                                  .k = p.k,
                                  .lda = p.a.stride,
                                  .ldb = p.b.stride,
                                  .ldc = p.n});
    if (p.is_single() && !p.a.transposed && p.b.stride == (p.b.transposed ? p.k : p.n))
        keeps_ = KeptMatrix::find(p.b.transposed, p.m, p.n, p.k);
}

size_t FloatProduct::scratch_bytes() const {
    return sgemm_scratch_bytes(batches_.m, batches_.n, batches_.k);
}

void FloatProduct::run(const float* a, const Array& by, float* y, bool adds,
                       std::span<std::byte> scratch, const float* row) const {
    const ProductBatches& p = batches_;
    const Array kept = keeps_ ? keeps_->of(by) : Array();
    if (kept.defined() && keeps_->is_for_few_rows()) {
        if (row) write_rows(row, p.m, p.n, y);
        return sgemm_kept_rows(p.m, p.n, p.k, a, p.a.stride, kept, row || adds ? 1 : 0, y, p.n);
    }
    const float* const b = by.elements<float>();
    const auto tiles_at = [&](const ProductBatches::Place& at) {
        return TileProduct{.transa = p.a.transposed,
                           .transb = p.b.transposed,
                           .m = p.m,
                           .n = p.n,
                           .k = p.k,
                           .a = a + at.a,
                           .lda = p.a.stride,
                           .b = b + at.b,
                           .ldb = p.b.stride,
                           .plus = row    ? row
                                   : adds ? y + at.y
                                          : nullptr,
                           .plus_row = row ? 0 : p.n,
                           .c = y + at.y,
                           .ldc = p.n};
    };
    p.for_each(
        [&](const ProductBatches::Place& at, const ProductBatches::Place* next, bool is_alone) {
            TileProduct tiles = tiles_at(at);
            if (is_small_) {
                if (row) write_rows(row, p.m, p.n, tiles.c);  // The loops add to what c holds.
                return multiply_small(tiles);
            }
            // One of many that run side by side is not divided.
            if (!is_alone && are_tiles_faster(tiles)) {
                const TileProduct following = tiles_at(next ? *next : at);
                if (next) tiles.following = &following;
                return multiply_in_tiles(tiles);
            }
            sgemm(p.a.transposed, p.b.transposed, p.m, p.n, p.k, 1, a + at.a, p.a.stride, b + at.b,
                  p.b.stride, adds ? 1 : 0, y + at.y, p.n,
                  is_alone ? scratch : std::span<std::byte>(), row, kept);
        });
}

void fill_rows(const Array& row, const Array& y) {
    write_rows(row.elements<float>(), y.dim(0), y.dim(1), y.to_fill<float>());
}

}  // namespace catena
