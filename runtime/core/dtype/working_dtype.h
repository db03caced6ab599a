#pragma once

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// The dtype in which sums and functions of `dtype` are computed: float32 for 16-bit floats, the
/// dtype itself otherwise.
constexpr Dtype working_dtype(Dtype dtype) {
    return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? Dtype::float32 : dtype;
}

}  // namespace catena
