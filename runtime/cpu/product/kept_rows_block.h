#pragma once

#include <array>
#include <cstdint>

// What products with kept rows (kept_rows.h) are divided into.
namespace catena::kept_rows {

constexpr int64_t lanes = 16, most_rows = 8, most_vectors = 3;

/// sgemm_few_rows() has a sum for each lane, of every sixteenth product, and then adds neighbours,
/// of these neighbours, and so on. In this order of the lanes two sums are added as soon as both
/// are there.
inline constexpr std::array<int, lanes> lane_at{0, 2, 1, 3, 8,  10, 9,  11,
                                                4, 6, 5, 7, 12, 14, 13, 15};

/// Rows of the kept form for each lane.
inline int64_t rows_of_lane(int64_t k) { return (k + lanes - 1) / lanes; }

/// Some rows of c and some vectors of its columns. The kept form is [vectors, lanes in order,
/// rows_of_lane(k), lanes].
struct Block {
    const float* a;
    int64_t lda;
    const float* b;
    int64_t vector;  ///< From a vector of columns to the next.
    int64_t k;
    float beta;
    float* c;
    int64_t ldc;
    uint16_t last;  ///< Which lanes of the last vector are columns.
};

}  // namespace catena::kept_rows
