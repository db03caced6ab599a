#pragma once

#include <cstdint>

#include "runtime/core/simd/vector_macros.h"

namespace catena {

// Conversions of the 16-bit floats as branch-free integer arithmetic, so that loops over them are
// vectorised. Always inlined: kernels for several instruction sets share this header.

CATENA_INLINE uint32_t bits_of(float value) { return __builtin_bit_cast(uint32_t, value); }
CATENA_INLINE float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }

CATENA_INLINE float bfloat16_bits_to_float(uint16_t bits) { return float_of(uint32_t(bits) << 16); }

/// Rounds to nearest even; every NaN becomes a quiet one.
CATENA_INLINE uint16_t float_to_bfloat16_bits(float value) {
    const uint32_t bits = bits_of(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t nan = (bits >> 16) | 0x40u;
    return uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

CATENA_INLINE float half_bits_to_float(uint16_t half) {
    const uint32_t sign = uint32_t(half & 0x8000u) << 16;
    const uint32_t magnitude = uint32_t(half & 0x7fffu) << 13;
    // Rebias by a multiplication: it also normalises the denormals, which have no implicit one.
    const float scaled = float_of(magnitude) * float_of((254u - 15u) << 23);
    const uint32_t finite = bits_of(scaled);
    const uint32_t special = magnitude | 0x7f800000u;
    return float_of(sign | ((half & 0x7fffu) >= 0x7c00u ? special : finite));
}

/// Round to nearest even; past 65504 + half a step infinity; every NaN becomes a quiet one.
CATENA_INLINE uint16_t float_to_half_bits(float value) {
    const uint32_t bits = bits_of(value);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    // Normal results: rebias the exponent and round the 13 dropped bits; a carry may run into the
    // exponent.
    const uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Denormal results: adding 0.5 leaves the right bits, correctly rounded, at the end of the
    // mantissa.
    const uint32_t denormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
    const uint32_t finite = magnitude < (113u << 23) ? denormal : normal;
    const uint32_t special =
        magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x3ffu) : 0x7c00u;
    return uint16_t(sign | (magnitude >= 0x477ff000u ? special : finite));
}

}  // namespace catena
