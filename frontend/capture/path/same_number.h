#pragma once

#include <bit>
#include <cstdint>

namespace catena::capture {

/// Whether two numbers have the same bits: -0 is not 0, and NaN is itself.
inline bool same_number(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

}  // namespace catena::capture
