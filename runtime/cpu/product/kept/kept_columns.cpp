#include "runtime/cpu/product/kept/kept_columns.h"

#include <algorithm>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/product/rows/gemm_rows.h"
#include "runtime/cpu/product/tiles/product_tiles.h"
#include "runtime/cpu/transpose_lanes.h"
#include "runtime/cpu/machine.h"

namespace catena {

constexpr int64_t lanes = 16;

Shape kept_columns_shape(int64_t n, int64_t k) { return {(n + lanes - 1) / lanes, k, lanes}; }

bool are_kept_columns_faster(bool transb, int64_t m, int64_t n, int64_t k) {
    constexpr int64_t most_rows =
        512;  // From there on copying b is too little of a product to have it twice.
    return m <= most_rows && !(transb && has_few_rows(m, n, k)) &&
           are_tiles_faster({.transa = false,
                             .transb = transb,
                             .m = m,
                             .n = n,
                             .k = k,
                             .lda = k,
                             .ldb = transb ? k : n});
}

#if defined(__x86_64__)
namespace {

void turn(const float* b, int64_t rows, int64_t k, float* to) {
    for (int64_t p = 0; p < k; p += lanes)
        transpose_lanes(b + p, k, rows, uint16_t((1u << std::min(lanes, k - p)) - 1),
                        to + p * lanes, lanes);
}

}  // namespace

void turn_into_columns(const float* b, int64_t n, int64_t k, float* kept) {
    parallel_for((n + lanes - 1) / lanes, machine::grain_of_elements(k * lanes),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i)
                         turn(b + i * lanes * k, std::min(lanes, n - i * lanes), k,
                              kept + i * k * lanes);
                 });
}

void copy_into_columns(const float* b, int64_t n, int64_t k, float* kept) {
    parallel_for((n + lanes - 1) / lanes, machine::grain_of_elements(k * lanes),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                         const int64_t count = std::min(lanes, n - i * lanes);
                         for (int64_t p = 0; p < k; ++p) {
                             float* const to = kept + (i * k + p) * lanes;
                             std::fill(std::copy_n(b + p * n + i * lanes, count, to), to + lanes,
                                       0.0f);
                         }
                     }
                 });
}

#else

void copy_into_columns(const float*, int64_t, int64_t, float*) {
    CATENA_ASSERT(false, "this processor has no tiles");
}
void turn_into_columns(const float*, int64_t, int64_t, float*) {
    CATENA_ASSERT(false, "this processor has no tiles");
}

#endif

}  // namespace catena
