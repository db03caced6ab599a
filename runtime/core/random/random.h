#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "runtime/core/random/random_stream.h"

namespace catena {

// Distributions of the words of a RandomStream.

/// A uniform number in [0, 1) from random bits, in steps of 2^-24 (float) or 2^-53 (double).
inline float uniform_float(uint32_t word) { return float(word >> 8) * 0x1p-24f; }
inline double uniform_double(uint32_t high, uint32_t low) {
    return double((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}
/// A uniform number in (0, 1] from random bits, whose logarithm is finite.
inline float positive_uniform_float(uint32_t word) { return float((word >> 8) + 1) * 0x1p-24f; }
inline double positive_uniform_double(uint32_t high, uint32_t low) {
    return double(((uint64_t(high) << 32 | low) >> 11) + 1) * 0x1p-53;
}

/// The uniform number of index `element` of a stream. Four float32 elements share the words of one
/// Philox call, a float64 takes one.
template <class T>
T uniform(const RandomStream& stream, uint64_t element) {
    if constexpr (sizeof(T) == sizeof(float)) {
        return uniform_float(stream.words(element / 4)[element % 4]);
    } else {
        const auto words = stream.words(element);
        return uniform_double(words[0], words[1]);
    }
}

/// The standard normal number of index `element` of a stream, by Box and Muller's transformation.
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

/// Fills `n` elements with uniform numbers, on all threads.
void fill_uniform(const RandomStream& stream, float* to, int64_t n);
void fill_uniform(const RandomStream& stream, double* to, int64_t n);
void fill_normal(const RandomStream& stream, float* to, int64_t n);
void fill_normal(const RandomStream& stream, double* to, int64_t n);

}  // namespace catena
