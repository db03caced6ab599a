#pragma once

#include <cstdint>

#include "runtime/core/random/random.h"

namespace catena {

/// Computes the four floats in [0, 1) of each of `counters` neighbouring counters of a stream, with
/// AVX2 or AVX-512: the bits of uniform<float>. Returns how many counters it did: all but less than
/// 32, or none on a processor without these instructions.
int64_t philox_lanes(const RandomStream& stream, uint64_t first, float* to, int64_t counters);

}  // namespace catena
