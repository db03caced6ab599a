#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace catena {

// Random numbers as a pure function of operation and element: Philox4x32-10 (Salmon, Moraes, Dror
// and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). The same bits on any number of
// threads, eager or compiled; backward recomputes them instead of storing them.

/// Four independent 32-bit words for a counter under a key.
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
    uint64_t seed = 0;
    uint64_t operation = 0;

    std::array<uint32_t, 4> words(uint64_t element) const {
        return philox({uint32_t(element), uint32_t(element >> 32), uint32_t(operation),
                       uint32_t(operation >> 32)},
                      {uint32_t(seed), uint32_t(seed >> 32)});
    }
};

/// In [0, 1), in steps of 2^-24 or 2^-53.
inline float uniform_float(uint32_t word) { return float(word >> 8) * 0x1p-24f; }
inline double uniform_double(uint32_t high, uint32_t low) {
    return double((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}
/// In (0, 1], for logarithms.
inline float positive_uniform_float(uint32_t word) { return float((word >> 8) + 1) * 0x1p-24f; }
inline double positive_uniform_double(uint32_t high, uint32_t low) {
    return double(((uint64_t(high) << 32 | low) >> 11) + 1) * 0x1p-53;
}

/// Element `element` of a stream. Four float32 elements share the words of one Philox call, a float64 takes one.
template <class T>
T uniform(const RandomStream& stream, uint64_t element) {
    if constexpr (sizeof(T) == sizeof(float)) {
        return uniform_float(stream.words(element / 4)[element % 4]);
    } else {
        const auto words = stream.words(element);
        return uniform_double(words[0], words[1]);
    }
}

/// Standard normal by Box and Muller's transformation.
template <class T>
T normal(const RandomStream& stream, uint64_t element) {
    const auto words = stream.words(element);
    if constexpr (sizeof(T) == sizeof(float)) {
        const float radius = std::sqrt(-2.0f * std::log(positive_uniform_float(words[0])));
        return radius * std::cos(2.0f * std::numbers::pi_v<float> * uniform_float(words[1]));
    } else {
        const double radius =
            std::sqrt(-2.0 * std::log(positive_uniform_double(words[0], words[1])));
        return radius * std::cos(2.0 * std::numbers::pi * uniform_double(words[2], words[3]));
    }
}

/// Fills `n` elements, on all threads.
void fill_uniform(const RandomStream& stream, float* to, int64_t n);
void fill_uniform(const RandomStream& stream, double* to, int64_t n);
void fill_normal(const RandomStream& stream, float* to, int64_t n);
void fill_normal(const RandomStream& stream, double* to, int64_t n);

}  // namespace catena
