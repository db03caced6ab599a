#include "runtime/core/dtype/half_rows.h"

#include "runtime/core/dtype/half.h"
#include "runtime/core/simd/vector_macros.h"

namespace catena {

CATENA_VECTOR_CODE void convert_row(float* __restrict to, const Half* __restrict from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = half_bits_to_float(from[i].bits);
}
CATENA_VECTOR_CODE void convert_row(Half* __restrict to, const float* __restrict from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_half_bits(from[i]);
}
CATENA_VECTOR_CODE void convert_row(float* __restrict to, const BFloat16* __restrict from,
                                    int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = bfloat16_bits_to_float(from[i].bits);
}
CATENA_VECTOR_CODE void convert_row(BFloat16* __restrict to, const float* __restrict from,
                                    int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_bfloat16_bits(from[i]);
}

}  // namespace catena
