#include "runtime/ops/connection/output_size.h"

#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"

namespace catena {

int64_t get_deconv_outsize(int64_t size, int64_t k, int64_t s, int64_t p, bool cover_all,
                           int64_t d) {
    if (size < 1 || k < 1 || s < 1 || d < 1 || p < 0)
        fail<ValueError>(
            "get_deconv_outsize: size {}, k {}, s {} and d {} must be positive, p {} not negative",
            size, k, s, d, p);
    constexpr const char* op = "get_deconv_outsize";
    return sum_of_sizes(op, {product_of_sizes(op, {s, size - 1}), product_of_sizes(op, {k - 1, d}),
                             1, cover_all ? 1 - s : 0, -p, -p});
}

}  // namespace catena
