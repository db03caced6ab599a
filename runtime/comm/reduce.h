#pragma once

#include <span>

#include "runtime/comm/communicator.h"

namespace catena {

/// result[i] = parts[0][i] + parts[1][i] + ..., in that order (for mean: divided by their number),
/// rounded once to the dtype; 16-bit floats are added in float32. `result` may be one of the parts.
/// DtypeError for bool, and for the mean of integers.
void reduce_parts(const char* call, Dtype dtype, std::span<const void* const> parts, void* result,
                  int64_t count, Reduction reduction);

}  // namespace catena
