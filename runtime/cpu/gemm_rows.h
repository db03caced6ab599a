#pragma once

#include <cstdint>

namespace catena {

/// Row-major c = a b^T + beta c for few rows of a, where packing b would cost more than
/// multiplying. False if the machine or the sizes need the general algorithm.
bool sgemm_few_rows(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                    int64_t ldb, float beta, float* c, int64_t ldc);

}  // namespace catena
