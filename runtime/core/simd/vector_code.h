#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "runtime/core/simd/vector_macros.h"

// Vectors are passed between inlined functions only.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace catena {

// Branch-free, so that loops over them vectorise. exp, tanh and sigmoid are within 3.3e-7 of
// the value; what would be less than 1.2e-38 is 0.

CATENA_INLINE float vector_exp(float x) {
    // Beyond these bounds the scale below is infinity or 0. NaN passes both comparisons.
    float c = x > 89.0f ? 89.0f : x;
    c = c < -88.0f ? -88.0f : c;
    constexpr float round = 12582912.0f;  // Adding it leaves the nearest integer in the low bits.
    float shifted = c * 1.44269504088896341f + round;
    float whole = shifted - round;
    float r = c - whole * 0.693359375f;
    r = r + whole * 2.12194440e-4f;
    // Interpolates exp at Chebyshev's points of [-log(2) / 2, log(2) / 2], and is 1 at 0.
    float p = 8.369184099e-3f;
    p = p * r + 4.191775993e-2f;
    p = p * r + 1.666650474e-1f;
    p = p * r + 4.999886751e-1f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return p * std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) << 23) + (127u << 23));
}
CATENA_INLINE double vector_exp(double x) { return std::exp(x); }

CATENA_INLINE float vector_sigmoid(float x) { return 1.0f / (1.0f + vector_exp(-x)); }
CATENA_INLINE double vector_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

CATENA_INLINE float vector_tanh(float x) {
    // An odd polynomial near 0, where the quotient would cancel.
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

/// Consecutive elements in a SIMD register of `bytes` bytes, which must be no wider than the
/// processor's (runtime/core/simd/vector_widths.h), or they are kept in memory. Four of them as
/// accumulators hide the latency of an addition, for which a loop with a single sum waits.
template <class T, int bytes>
struct Vector {
    typedef T Type __attribute__((vector_size(bytes)));
    static constexpr int64_t lanes = bytes / sizeof(T);

    CATENA_INLINE static Type load(const T* from) {
        Type v;
        __builtin_memcpy(&v, from, sizeof v);
        return v;
    }
    CATENA_INLINE static void store(T* to, Type v) { __builtin_memcpy(to, &v, sizeof v); }
    CATENA_INLINE static T sum(Type v) {
        T s = 0;
        for (int64_t i = 0; i < lanes; ++i) s += v[i];
        return s;
    }
};

/// The sum of term(vector of x) over x[0..n); term maps a scalar as it maps each lane.
template <int bytes, class T, class F>
CATENA_INLINE T sum_of(const T* x, int64_t n, F&& term) {
    using V = Vector<T, bytes>;
    typename V::Type a{}, b{}, c{}, d{};
    int64_t i = 0;
    for (; i + 4 * V::lanes <= n; i += 4 * V::lanes) {
        a += term(V::load(x + i));
        b += term(V::load(x + i + V::lanes));
        c += term(V::load(x + i + 2 * V::lanes));
        d += term(V::load(x + i + 3 * V::lanes));
    }
    T s = V::sum((a + b) + (c + d));
    for (; i < n; ++i) s += term(x[i]);
    return s;
}

}  // namespace catena
