#pragma once

// Loops that the compiler vectorises, built once per instruction set and chosen when the program starts. Mark the
// outermost function CATENA_VECTOR_CODE and everything it calls in the loop CATENA_INLINE.
#define CATENA_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CATENA_VECTOR_CODE \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CATENA_VECTOR_CODE
#endif

#include <bit>
#include <cmath>
#include <cstdint>

namespace catena {

// Branch-free, so that loops over them vectorise. Errors against the exact value: exp 1 ULP, tanh and
// sigmoid 3e-7 of the value.

CATENA_INLINE float vector_exp(float x) {
    // Outside this range the result is 0 or infinity anyway; NaN passes both comparisons.
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    constexpr float round = 12582912.0f;  // Adding it leaves the nearest integer in the low bits.
    float shifted = c * 1.44269504088896341f + round;
    int32_t n = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(round);
    float whole = shifted - round;
    float r = c - whole * 0.693359375f;
    r = r + whole * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    // Two steps, so that results below the normal numbers and just below infinity come out right.
    int32_t half = n >> 1;
    return p * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((n - half + 127) << 23);
}
CATENA_INLINE double vector_exp(double x) { return std::exp(x); }

CATENA_INLINE float vector_sigmoid(float x) { return 1.0f / (1.0f + vector_exp(-x)); }
CATENA_INLINE double vector_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

CATENA_INLINE float vector_tanh(float x) {
    // Near 0 the quotient would cancel: there an odd polynomial.
    float a = x < 0 ? -x : x;
    float e = vector_exp(-2.0f * a);
    float large = (1.0f - e) / (1.0f + e);
    float s = x * x;
    float p = -5.70498872745e-3f;
    p = p * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    float small = x + x * s * p;
    float signed_large = x < 0 ? -large : large;
    return a < 0.625f ? small : signed_large;
}
CATENA_INLINE double vector_tanh(double x) { return std::tanh(x); }

}  // namespace catena
