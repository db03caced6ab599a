#pragma once

#include <cstdint>

#include "runtime/core/dtype/dtype.h"

namespace catena {

// n neighbouring elements converted, many at a time.
void convert_row(float* to, const Half* from, int64_t n);
void convert_row(Half* to, const float* from, int64_t n);
void convert_row(float* to, const BFloat16* from, int64_t n);
void convert_row(BFloat16* to, const float* from, int64_t n);

}  // namespace catena
