#include "runtime/cpu/product/float_product.h"

#include <algorithm>

#include "runtime/cpu/product/gemm.h"
#include "runtime/cpu/product/kept_rows.h"
#include "runtime/cpu/product/product_tiles.h"

namespace catena {

FloatProduct::FloatProduct(const Array& a, const Array& b, bool transa, bool transb, const Array& y) : batches_(a, b, transa, transb, y) {
    const ProductBatches& p = batches_;
    if (p.is_single() && !p.a.transposed && p.b.transposed && p.b.stride == p.k) keeps_ = KeptMatrix::find(p.m, p.n, p.k);
}

size_t FloatProduct::scratch_bytes() const { return sgemm_scratch_bytes(batches_.m, batches_.n, batches_.k); }

void FloatProduct::run(const float* a, const Array& by, float* y, bool adds, std::span<std::byte> scratch,
                       const float* row) const {
    const ProductBatches& p = batches_;
    const Array kept = keeps_ ? keeps_->of(by) : Array();
    if (kept.defined() && keeps_->is_for_few_rows()) {
        for (int64_t i = 0; row && i < p.m; ++i) std::copy_n(row, p.n, y + i * p.n);
        return sgemm_kept_rows(p.m, p.n, p.k, a, p.a.stride, kept, row || adds ? 1 : 0, y, p.n);
    }
    const float* const b = by.elements<float>();
    p.for_each([&](int64_t in_a, int64_t in_b, int64_t in_y, bool is_alone) {
        const TileProduct tiles{.transa = p.a.transposed, .transb = p.b.transposed, .m = p.m, .n = p.n, .k = p.k,
                                .a = a + in_a, .lda = p.a.stride, .b = b + in_b, .ldb = p.b.stride,
                                .plus = row ? row : adds ? y + in_y : nullptr, .plus_row = row ? 0 : p.n, .c = y + in_y, .ldc = p.n};
        // One of many that run side by side is not divided.
        if (!is_alone && are_tiles_faster(tiles)) return multiply_in_tiles(tiles);
        sgemm(p.a.transposed, p.b.transposed, p.m, p.n, p.k, 1, a + in_a, p.a.stride, b + in_b, p.b.stride, adds ? 1 : 0, y + in_y, p.n,
              is_alone ? scratch : std::span<std::byte>(), row, kept);
    });
}

void fill_rows(const Array& row, const Array& y) {
    const int64_t rows = y.dim(0), columns = y.dim(1);
    const float* from = row.elements<float>();
    float* to = y.to_fill<float>();
    for (int64_t i = 0; i < rows; ++i) std::copy_n(from, columns, to + i * columns);
}

}  // namespace catena
