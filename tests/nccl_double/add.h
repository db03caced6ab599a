#pragma once

#include <cstddef>
#include <span>

#include <nccl.h>

namespace nccl_double {

size_t size_of(ncclDataType_t type);  ///< 0 for one that the double does not know.

/// result[i] = parts[0][i] + parts[1][i] + ... as NCCL adds: in the type itself, rounding at every
/// step; ncclAvg multiplies floats by 1 / ranks first and divides integers at the end.
void add(ncclDataType_t type, ncclRedOp_t op, std::span<const void* const> parts, void* result,
         size_t count);

}  // namespace nccl_double
