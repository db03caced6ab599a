#include "runtime/core/half_rows.h"

#include "runtime/core/half.h"

// Built once per instruction set, as in runtime/core/vector_code.h (whose CATENA_INLINE is another one).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CATENA_ROW_CODE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CATENA_ROW_CODE
#endif

namespace catena {

CATENA_ROW_CODE void convert_row(float* __restrict to, const Half* __restrict from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = half_bits_to_float(from[i].bits);
}
CATENA_ROW_CODE void convert_row(Half* __restrict to, const float* __restrict from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_half_bits(from[i]);
}
CATENA_ROW_CODE void convert_row(float* __restrict to, const BFloat16* __restrict from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = bfloat16_bits_to_float(from[i].bits);
}
CATENA_ROW_CODE void convert_row(BFloat16* __restrict to, const float* __restrict from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i].bits = float_to_bfloat16_bits(from[i]);
}

}  // namespace catena
