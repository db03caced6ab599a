#pragma once

#include "runtime/core/dtype/dtype.h"

namespace catena {

// Dtypes by NumPy's names: `x.astype(ct::float32)`. For programs; the library writes
// Dtype::float32.
/// The dtypes by their own names: `ct::float32`.
inline constexpr Dtype int8 = Dtype::int8, int16 = Dtype::int16, int32 = Dtype::int32,
                       int64 = Dtype::int64, uint8 = Dtype::uint8, float16 = Dtype::float16,
                       bfloat16 = Dtype::bfloat16, float32 = Dtype::float32,
                       float64 = Dtype::float64;

}  // namespace catena
