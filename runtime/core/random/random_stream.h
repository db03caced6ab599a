#pragma once

#include <array>
#include <cstdint>

namespace catena {

// Random numbers as a pure function of operation and element: Philox4x32-10 (Salmon, Moraes, Dror
// and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). The same bits on any number of
// threads, eager or compiled; backward recomputes them instead of storing them.

/// The Philox generator: four independent 32-bit words for a counter under a key.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const uint64_t first = uint64_t(0xD2511F53u) * counter[0];
        const uint64_t second = uint64_t(0xCD9E8D57u) * counter[2];
        counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
                   uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

/// The generator of one random operation: the key is the seed, the upper half of the counter the
/// number of the operation, the lower half the index of the element.
struct RandomStream {
    /// The seed.
    uint64_t seed = 0;
    /// The number of the operation.
    uint64_t operation = 0;

    /// Four words of random bits for an element.
    std::array<uint32_t, 4> words(uint64_t element) const {
        return philox({uint32_t(element), uint32_t(element >> 32), uint32_t(operation),
                       uint32_t(operation >> 32)},
                      {uint32_t(seed), uint32_t(seed >> 32)});
    }
};

}  // namespace catena
