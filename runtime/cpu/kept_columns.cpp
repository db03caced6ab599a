#include "runtime/cpu/kept_columns.h"

#include <algorithm>

#include "runtime/core/parallel.h"
#include "runtime/cpu/gemm_rows.h"
#include "runtime/cpu/packed.h"
#include "runtime/cpu/product_tiles.h"
#include "runtime/cpu/transpose_lanes.h"

namespace catena {

#if defined(__x86_64__)
namespace {

constexpr int64_t lanes = 16;
/// Rows from which on turning b is too little of a product to keep it twice.
constexpr int64_t most_rows = 512;

__attribute__((target("avx512f"))) void turn(const float* b, int64_t rows, int64_t k, float* to) {
    for (int64_t p = 0; p < k; p += lanes)
        transpose_lanes(b + p, k, rows, uint16_t((1u << std::min(lanes, k - p)) - 1), to + p * lanes, lanes);
}

}  // namespace

Array kept_columns(const Array& b, int64_t m, int64_t n, int64_t k) {
    const TileProduct product{.transa = false, .transb = true, .m = m, .n = n, .k = k, .lda = k, .ldb = k};
    if (m > most_rows || has_few_rows(m, n, k) || !are_tiles_faster(product)) return Array();
    const int64_t vectors = (n + lanes - 1) / lanes;
    const auto turned = [&] {
        const Array made = Array::empty({Dtype::float32, Shape{vectors, k, lanes}}, b.device());
        const float* const from = b.elements<float>();
        float* const to = made.to_fill<float>();
        parallel_for(vectors, 1 + 30'000 / (k * lanes), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) turn(from + i * lanes * k, std::min(lanes, n - i * lanes), k, to + i * k * lanes);
        });
        return made;
    };
    return onednn::form_if_kept(b, onednn::WeightForm::columns, onednn::ordered({n, k}), onednn::ordered({vectors, k, lanes}), turned);
}

#else

Array kept_columns(const Array&, int64_t, int64_t, int64_t) { return Array(); }

#endif

}  // namespace catena
