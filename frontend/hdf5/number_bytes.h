#pragma once

#include <bit>
#include <cstdint>

namespace catena::hdf5 {

/// The number of bytes that hold numbers up to `most`.
inline uint64_t bytes_for(uint64_t most) {
    uint64_t bytes = 1;
    while (most >>= 8) ++bytes;
    return bytes;
}

inline bool is_power_of_two(uint64_t number) { return number > 0 && (number & (number - 1)) == 0; }

/// The index of the highest bit of a number above 0.
inline uint64_t log2_of(uint64_t number) { return uint64_t(std::bit_width(number)) - 1; }

}  // namespace catena::hdf5
