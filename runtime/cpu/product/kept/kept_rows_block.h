#pragma once

#include <array>
#include <cstdint>

// What products with kept rows (kept_rows.h) are divided into.
namespace catena::kept_rows {

constexpr int64_t lanes = 16, most_rows = 8, most_vectors = 3;

/// The order in which the lanes' sums are computed. sgemm_few_rows() has a sum for each lane, of
/// every sixteenth product, and then adds neighbouring sums, and neighbours of these; in this order
/// two sums can be added as soon as both are known.
inline constexpr std::array<int, lanes> lane_at{0, 2, 1, 3, 8,  10, 9,  11,
                                                4, 6, 5, 7, 12, 14, 13, 15};

/// The number of rows of the cached form for each lane.
inline int64_t rows_of_lane(int64_t k) { return (k + lanes - 1) / lanes; }

/// The operands for some rows of c and some vectors of its columns. The cached form is [vectors,
/// lanes in order, rows_of_lane(k), lanes].
struct Block {
    const float* a;
    int64_t lda;
    const float* b;
    int64_t vector;  ///< Distance from a vector of columns to the next.
    int64_t k;
    float beta;
    float* c;
    int64_t ldc;
    uint16_t last;  ///< A mask of the lanes of the last vector that are columns.
};

}  // namespace catena::kept_rows
