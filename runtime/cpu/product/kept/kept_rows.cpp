#include "runtime/cpu/product/kept/kept_rows.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/cpu/product/rows/gemm_rows.h"
#include "runtime/cpu/product/kept/kept_rows_avx2.h"
#include "runtime/cpu/product/kept/kept_rows_avx512.h"
#include "runtime/cpu/transpose_lanes.h"
#include "runtime/cpu/machine.h"

namespace catena {

#if defined(__x86_64__)
namespace {

using namespace kept_rows;

template <int vectors>
void multiply_rows(const Block& t, int64_t rows) {
    has_avx512() ? kept_rows::avx512::multiply_rows<vectors>(t, rows)
                 : kept_rows::avx2::multiply_rows<vectors>(t, rows);
}

/// Vector `index` of the columns of b^T.
void turn(const float* b, int64_t n, int64_t k, int64_t index, float* to) {
    const int64_t first = index * lanes, count = rows_of_lane(k);
    alignas(64) float block[lanes * lanes];
    for (int64_t q = 0; q < count; ++q) {
        const auto there = uint16_t((1u << std::min(lanes, k - q * lanes)) - 1);
        transpose_lanes(b + first * k + q * lanes, k, std::min(lanes, n - first), there, block,
                        lanes);
        for (int64_t at = 0; at < lanes; ++at)
            std::copy_n(block + lane_at[size_t(at)] * lanes, lanes, to + (at * count + q) * lanes);
    }
}

}  // namespace

bool are_kept_rows_faster(int64_t m, int64_t n, int64_t k) {
    return m >= 4 && m <= 64 && n >= 64 && n * k >= 40'000 &&
           has_few_rows(m, n, k);  // Few numbers are multiplied in no time.
}

Shape kept_rows_shape(int64_t n, int64_t k) {
    return {(n + lanes - 1) / lanes, lanes * rows_of_lane(k), lanes};
}

void turn_into_rows(const float* b, int64_t n, int64_t k, float* kept) {
    const int64_t vector = lanes * rows_of_lane(k) * lanes;
    parallel_for((n + lanes - 1) / lanes, machine::grain_of_elements(vector),
                 [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) turn(b, n, k, i, kept + i * vector);
                 });
}

void sgemm_kept_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
                     const Array& kept, float beta, float* c, int64_t ldc) {
    const int64_t all = kept.dim(0), vector = kept.dim(1) * lanes,
                  blocks = (m + most_rows - 1) / most_rows;
    const float* const b = kept.elements<float>();
    parallel_for(
        all, machine::grain_of_products(m * k * lanes / 2), [&](int64_t begin, int64_t end) {
            for (int64_t vectors; begin < end; begin += vectors) {
                const int64_t left = end - begin, first = begin * lanes;
                vectors = left == 4 ? 2 : std::min(left, most_vectors);
                const int64_t in_last = std::min(lanes, n - first - (vectors - 1) * lanes);
                for (int64_t block = 0; block < blocks; ++block) {
                    const int64_t i = m * block / blocks, rows = m * (block + 1) / blocks - i;
                    const Block t{.a = a + i * lda,
                                  .lda = lda,
                                  .b = b + begin * vector,
                                  .vector = vector,
                                  .k = k,
                                  .beta = beta,
                                  .c = c + i * ldc + first,
                                  .ldc = ldc,
                                  .last = uint16_t((1u << in_last) - 1)};
                    vectors == 3   ? multiply_rows<3>(t, rows)
                    : vectors == 2 ? multiply_rows<2>(t, rows)
                                   : multiply_rows<1>(t, rows);
                }
            }
        });
}

#else

bool are_kept_rows_faster(int64_t, int64_t, int64_t) { return false; }
Shape kept_rows_shape(int64_t, int64_t) { return {}; }
void turn_into_rows(const float*, int64_t, int64_t, float*) {
    CATENA_ASSERT(false, "this processor has no vectors of 64 bytes");
}
void sgemm_kept_rows(int64_t, int64_t, int64_t, const float*, int64_t, const Array&, float, float*,
                     int64_t) {
    CATENA_ASSERT(false, "this processor has no vectors of 64 bytes");
}

#endif

}  // namespace catena
