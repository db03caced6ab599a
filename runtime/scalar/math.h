#pragma once

#include <cstdint>

namespace catena::math {

// The transcendental functions on float32, at most 2 ULP from the truth (benchmarks/math_ulp.cpp
// tests all 2^32 floats), written once over an abstract machine: eager kernels run them on SIMD
// vectors, the compiler emits them as operations on its own values.
//
// The machine `Ops` has these types and members; F is a float32 (or a vector of them), I an int32,
// B a truth value. Everything is branch-free and total: no operation is applied outside of its
// domain.
//
//   F constant(float)                I integer(int32_t)
//   F add(F, F)  sub  mul  div       each rounded once
//   F fma(F a, F b, F c)             a * b + c rounded once, or nearly so (through float64)
//   I bits(F)    F from_bits(I)      the same 32 bits
//   F to_float(I)                    of small integers
//   I iadd(I, I)  isub  iand  ior  ixor
//   I shift_left(I, int)  shift_right(I, int)     the latter keeps the sign
//   B less(F, F)                     false when either is NaN
//   B equal(I, I)
//   F select(B, F, F)
//   F libm_where(B lanes, F value, F x, LibmFunction f)
//                                    `value`, but f(x) by the C library where `lanes`, which is
//                                    rare
//   F scale(F x, F n)                optional: x * 2^n rounded once, for n in [-200, 200]
//
// Coefficients are minimax fits (Remez's algorithm, the coefficients rounded to float32 one after
// another with the rest fitted anew).

enum class LibmFunction { sin, cos };

#define CATENA_MATH_INLINE [[gnu::always_inline]] inline

namespace detail {

/// The polynomial c[0] + c[1] x + c[2] x^2 + ...
template <class Ops, class F, int N>
CATENA_MATH_INLINE F polynomial(const Ops& ops, F x, const float (&c)[N]) {
    F sum = ops.constant(c[N - 1]);
    for (int i = N - 2; i >= 0; --i) sum = ops.fma(sum, x, ops.constant(c[i]));
    return sum;
}

template <class Ops, class F>
CATENA_MATH_INLINE F absolute(const Ops& ops, F x) {
    return ops.from_bits(ops.iand(ops.bits(x), ops.integer(0x7fffffff)));
}

template <class Ops, class F>
CATENA_MATH_INLINE F with_sign_of(const Ops& ops, F magnitude, F sign) {
    const auto sign_bit = ops.iand(ops.bits(sign), ops.integer(INT32_MIN));
    return ops.from_bits(ops.ior(ops.iand(ops.bits(magnitude), ops.integer(0x7fffffff)), sign_bit));
}

/// The smaller (at_most) or larger (at_least) of x and a limit; a NaN in x stays.
template <class Ops, class F>
CATENA_MATH_INLINE F at_most(const Ops& ops, F x, float limit) {
    return ops.select(ops.less(ops.constant(limit), x), ops.constant(limit), x);
}
template <class Ops, class F>
CATENA_MATH_INLINE F at_least(const Ops& ops, F x, float limit) {
    return ops.select(ops.less(x, ops.constant(limit)), ops.constant(limit), x);
}

/// 2^n for n in [-126, 127].
template <class Ops, class I>
CATENA_MATH_INLINE auto power_of_two(const Ops& ops, I n) {
    return ops.from_bits(ops.shift_left(ops.iadd(n, ops.integer(127)), 23));
}

/// x * 2^n for n in [-252, 254], rounded once when x is in [1/2, 2): 2^n may not be a number where
/// the result is one, two factors always are.
template <class Ops, class F, class I>
CATENA_MATH_INLINE F scale_in_two_steps(const Ops& ops, F x, I n) {
    const auto half = ops.shift_right(n, 1);
    return ops.mul(ops.mul(x, power_of_two(ops, half)), power_of_two(ops, ops.isub(n, half)));
}

/// A number rounded to the nearest integer, as a float and as an integer. Adding 1.5 * 2^23 rounds
/// to nearest even and leaves the integer in the low bits, which unlike a conversion is defined for
/// NaN and infinity, too. |x| < 2^22.
template <class F, class I>
struct Rounded {
    F number;
    I integer;
};
inline constexpr float rounding_shift = 0x1.8p23f;

template <class Ops, class F>
CATENA_MATH_INLINE auto rounded_product(const Ops& ops, F x, float factor) {
    const F shifted = ops.fma(x, ops.constant(factor), ops.constant(rounding_shift));
    const auto integer = ops.isub(ops.bits(shifted), ops.bits(ops.constant(rounding_shift)));
    return Rounded<F, decltype(ops.bits(x))>{ops.sub(shifted, ops.constant(rounding_shift)),
                                             integer};
}

/// The decomposition x = n ln 2 + r with |r| <= ln 2 / 2; `number` is n.
template <class F, class I>
struct ReducedExponent {
    F r;
    I n;
    F number;
};
template <class Ops, class F>
CATENA_MATH_INLINE auto reduce_exponent(const Ops& ops, F x) {
    const auto n = rounded_product(ops, x, 0x1.715476p+0f);
    F r = ops.fma(n.number, ops.constant(-0x1.62e430p-1f), x);
    r = ops.fma(n.number, ops.constant(0x1.05c610p-29f), r);
    return ReducedExponent<F, decltype(n.integer)>{r, n.integer, n.number};
}

/// e^r - 1 for |r| <= ln 2 / 2, as exact as e^r needs it.
template <class Ops, class F>
CATENA_MATH_INLINE F small_expm1(const Ops& ops, F r) {
    constexpr float q[] = {0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123da6p-7f,
                           0x1.6ac36cp-10f};
    return ops.fma(ops.mul(r, r), polynomial(ops, r, q), r);
}

/// e^r for |r| <= ln 2 / 2.
template <class Ops, class F>
CATENA_MATH_INLINE F exp_of_reduced(const Ops& ops, F r) {
    return ops.add(ops.constant(1), small_expm1(ops, r));
}

/// e^x for x in [-87, 88]: the result is normal.
template <class Ops, class F>
CATENA_MATH_INLINE F exp_within(const Ops& ops, F x) {
    const auto reduced = reduce_exponent(ops, x);
    const F e = exp_of_reduced(ops, reduced.r);
    if constexpr (requires { ops.scale(e, e); })
        return ops.scale(e, reduced.number);
    else
        return ops.mul(e, power_of_two(ops, reduced.n));
}

/// erf(x) / x - 1 of x^2 for |x| <= 0.9.
inline constexpr float erf_near_zero[] = {0x1.06eba8p-3f,  -0x1.812740p-2f, 0x1.ce2d60p-4f,
                                          -0x1.b80056p-6f, 0x1.543e3cp-8f,  -0x1.a577d0p-11f,
                                          0x1.4cf6aep-14f};

/// erfc x for x in [0.75, 10.1] as e^(-x^2) t p(t) with t = 1 / (x + 1.25). What x^2, t and p lose
/// by rounding is carried along: each would cost a unit in the last place.
template <class Ops, class F>
CATENA_MATH_INLINE F erfc_far(const Ops& ops, F x) {
    constexpr float p0 = 0x1.20dee4p-1f, shift = 1.25f;
    constexpr float rest[] = {0x1.68cfc6p-1f,  0x1.387a2ap-1f, -0x1.4d3f6ep-4f, 0x1.8746b8p-5f,
                              -0x1.48cdd6p+2f, 0x1.7067f8p+3f, -0x1.4ef8a0p+3f, 0x1.d6e6b2p+1f};
    const F zero = ops.constant(0);
    const F square = ops.mul(x, x), square_lost = ops.fma(x, x, ops.sub(zero, square));
    const auto reduced = reduce_exponent(ops, ops.sub(zero, square));
    const F e = small_expm1(ops, reduced.r);

    const F sum = ops.add(x, ops.constant(shift)), t = ops.div(ops.constant(1), sum);
    const F sum_lost = ops.sub(x, ops.sub(sum, ops.constant(shift))), minus_t = ops.sub(zero, t);
    const F t_lost = ops.fma(minus_t, sum_lost, ops.fma(minus_t, sum, ops.constant(1)));

    const F q = polynomial(ops, t, rest), p = ops.fma(t, q, ops.constant(p0));
    F p_lost = ops.fma(t, q, ops.sub(ops.constant(p0), p));
    p_lost = ops.fma(ops.mul(t, t_lost), q, p_lost);
    p_lost = ops.fma(ops.sub(zero, square_lost), p, p_lost);

    const F more = ops.fma(p, e, ops.fma(p_lost, e, p_lost)), product = ops.add(p, more);
    const F product_lost = ops.sub(more, ops.sub(product, p));
    const F correction = ops.fma(t, product_lost, ops.mul(ops.mul(t, product), t_lost));
    const F y = ops.fma(t, product, correction);
    if constexpr (requires { ops.scale(y, y); })
        return ops.scale(y, reduced.number);
    else
        return scale_in_two_steps(ops, y, reduced.n);
}

/// log(2^e (1 + f)) for f in [-1/3, 1/3].
template <class Ops, class F>
CATENA_MATH_INLINE F log_of_reduced(const Ops& ops, F e, F f) {
    constexpr float p[] = {0x1.555556p-2f,  -0x1.ffff02p-3f, 0x1.99985ep-3f,
                           -0x1.559bb0p-3f, 0x1.24d7b2p-3f,  -0x1.f336f8p-4f,
                           0x1.bb3f4cp-4f,  -0x1.07df7ep-3f, 0x1.e069f6p-4f};
    const F square = ops.mul(f, f);
    F tail = ops.mul(ops.mul(f, square), polynomial(ops, f, p));
    tail = ops.fma(e, ops.constant(-0x1.05c610p-29f), tail);
    tail = ops.fma(ops.constant(-0.5f), square, tail);
    return ops.fma(e, ops.constant(0x1.62e430p-1f), ops.add(f, tail));
}

/// The decomposition x = 2^e m with m in [2/3, 4/3), for normal x > 0.
template <class F, class I>
struct Split {
    I e;
    F m;
};
template <class Ops, class F>
CATENA_MATH_INLINE auto split(const Ops& ops, F x) {
    const auto two_thirds = ops.integer(0x3f2aaaab);
    const auto above = ops.isub(ops.bits(x), two_thirds);
    const F m = ops.from_bits(ops.iadd(ops.iand(above, ops.integer(0x007fffff)), two_thirds));
    return Split<F, decltype(ops.bits(x))>{ops.shift_right(above, 23), m};
}

/// The result of log with its special values: `x` where it is inf or NaN, -inf at 0, NaN below 0,
/// else `inside`.
template <class Ops, class F>
CATENA_MATH_INLINE F log_at_border(const Ops& ops, F x, F inside) {
    const F zero = ops.constant(0), infinity = ops.constant(__builtin_inff());
    F y = ops.select(ops.less(x, infinity), inside, x);
    y = ops.select(ops.less(zero, x), y,
                   ops.select(ops.less(x, zero), ops.constant(__builtin_nanf("")), y));
    const auto is_zero = ops.equal(ops.shift_left(ops.bits(x), 1), ops.integer(0));
    return ops.select(is_zero, ops.constant(-__builtin_inff()), y);
}

/// The decomposition x = k pi/2 + r with |r| <= pi/4; `quadrant` is k in its two low bits.
template <class Ops, class F>
CATENA_MATH_INLINE auto reduce_angle(const Ops& ops, F x) {
    const auto k = rounded_product(ops, x, 0x1.45f306p-1f);
    F r = ops.fma(k.number, ops.constant(-0x1.921fb6p+0f), x);
    r = ops.fma(k.number, ops.constant(0x1.777a5cp-25f), r);
    r = ops.fma(k.number, ops.constant(0x1.ee59dap-50f), r);
    return Rounded<F, decltype(k.integer)>{r, k.integer};
}

/// The largest angle that three parts of pi/2 reduce well enough.
inline constexpr float largest_angle = 30000.0f;

/// The sine of r + quadrant pi/2.
template <class Ops, class F, class I>
CATENA_MATH_INLINE F sin_in_quadrant(const Ops& ops, F r, I quadrant) {
    constexpr float sin_tail[] = {-0x1.555546p-3f, 0x1.110774p-7f, -0x1.9951eap-13f};
    constexpr float cos_tail[] = {0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f};
    const F square = ops.mul(r, r);
    const F sine = ops.fma(ops.mul(r, square), polynomial(ops, square, sin_tail), r);
    const F cosine = ops.fma(ops.mul(square, square), polynomial(ops, square, cos_tail),
                             ops.fma(ops.constant(-0.5f), square, ops.constant(1)));
    const auto even = ops.equal(ops.iand(quadrant, ops.integer(1)), ops.integer(0));
    const auto sign = ops.shift_left(ops.iand(quadrant, ops.integer(2)), 30);
    return ops.from_bits(ops.ixor(ops.bits(ops.select(even, sine, cosine)), sign));
}

}  // namespace detail

/// e^x. 0 below -104, inf above 88.73; denormal results are rounded once.
template <class Ops, class F>
CATENA_MATH_INLINE F exp_approx(const Ops& ops, F x) {
    const F limited = detail::at_least(ops, detail::at_most(ops, x, 89.0f), -104.0f);
    const auto reduced = detail::reduce_exponent(ops, limited);
    const F e = detail::exp_of_reduced(ops, reduced.r);
    if constexpr (requires { ops.scale(e, e); })
        return ops.scale(e, reduced.number);
    else
        return detail::scale_in_two_steps(ops, e, reduced.n);
}

/// e^x - 1 without cancellation.
template <class Ops, class F>
CATENA_MATH_INLINE F expm1_approx(const Ops& ops, F x) {
    constexpr float q[] = {0x1.000000p-1f, 0x1.55552cp-3f,  0x1.555502p-5f,
                           0x1.1155a8p-7f, 0x1.6d2e4ap-10f, 0x1.3b8b14p-13f};
    const F limited = detail::at_least(ops, detail::at_most(ops, x, 89.0f), -20.0f);
    const auto reduced = detail::reduce_exponent(ops, limited);
    const F r = reduced.r;
    const F small = ops.fma(ops.mul(r, r), detail::polynomial(ops, r, q), r);  // e^r - 1
    // Half the result, since 2^128 overflows.
    const F half_scale = detail::power_of_two(ops, ops.isub(reduced.n, ops.integer(1)));
    const F half = ops.fma(half_scale, small, ops.sub(half_scale, ops.constant(0.5f)));
    const auto tiny = ops.less(detail::absolute(ops, x), ops.constant(0x1p-25f));
    return ops.select(tiny, x, ops.add(half, half));
}

/// log x; NaN below 0, -inf at 0.
template <class Ops, class F>
CATENA_MATH_INLINE F log_approx(const Ops& ops, F x) {
    const auto denormal = ops.less(x, ops.constant(0x1p-126f));
    const F normal = ops.select(denormal, ops.mul(x, ops.constant(0x1p23f)), x);
    const auto parts = detail::split(ops, normal);
    const F e =
        ops.sub(ops.to_float(parts.e), ops.select(denormal, ops.constant(23), ops.constant(0)));
    const F inside = detail::log_of_reduced(ops, e, ops.sub(parts.m, ops.constant(1)));
    return detail::log_at_border(ops, x, inside);
}

/// log(1 + x) without losing the low bits of x.
template <class Ops, class F>
CATENA_MATH_INLINE F log1p_approx(const Ops& ops, F x) {
    const F one = ops.constant(1);
    const F sum = ops.add(one, x);
    // The rounding error of the sum.
    const F lost =
        ops.select(ops.less(one, x), ops.sub(one, ops.sub(sum, x)), ops.sub(x, ops.sub(sum, one)));
    const auto parts = detail::split(ops, sum);
    // lost * 2^-e in two factors, since e may be 128.
    const F scale = detail::power_of_two(ops, ops.isub(ops.integer(63), parts.e));
    const F f = ops.fma(ops.mul(lost, ops.constant(0x1p-63f)), scale, ops.sub(parts.m, one));
    const F inside = detail::log_of_reduced(ops, ops.to_float(parts.e), f);
    const F y = detail::log_at_border(ops, sum, inside);
    const auto tiny = ops.less(detail::absolute(ops, x), ops.constant(0x1p-25f));
    return ops.select(tiny, x, y);
}

/// The hyperbolic tangent as (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x. It is exact enough
/// near 0, too, because there e^r - 1 is the numerator as it is.
template <class Ops, class F>
CATENA_MATH_INLINE F tanh_approx(const Ops& ops, F x) {
    constexpr float q[] = {0x1.fffff6p-2, 0x1.555492p-3, 0x1.555ca2p-5, 0x1.1239b0p-7,
                           0x1.67d2f0p-10};
    const F negative = ops.from_bits(ops.ior(ops.bits(x), ops.integer(INT32_MIN)));
    // Beyond 9 the result is 1.
    const F twice = detail::at_least(ops, ops.add(negative, negative), -20.0f);
    // -2|x| = n ln 2 + r. One part of ln 2 is enough: n times its error is little beside the
    // denominator where n is large.
    const auto n = detail::rounded_product(ops, twice, 0x1.715476p+0f);
    const F r = ops.fma(n.number, ops.constant(-0x1.62e430p-1f), twice);
    const F small = ops.fma(ops.mul(r, r), detail::polynomial(ops, r, q), r);  // e^r - 1
    const F scale = detail::power_of_two(ops, n.integer), one = ops.constant(1);
    const F numerator = ops.fma(scale, small, ops.sub(scale, one));
    return detail::with_sign_of(ops, ops.div(numerator, ops.fma(scale, small, ops.add(scale, one))),
                                x);
}

template <class Ops, class F>
CATENA_MATH_INLINE F erf_approx(const Ops& ops, F x) {
    // The logarithm of erfc on [0.9, 4].
    constexpr float l[] = {0x1.b9ca36p-14f, -0x1.211238p+0f, -0x1.449c26p-1f, -0x1.b8a27ep-4f,
                           0x1.9464ccp-6f,  -0x1.0708dcp-8f, 0x1.a7bbcep-12f, -0x1.397782p-16f};
    const F magnitude = detail::absolute(ops, x);
    const F square = ops.mul(x, x);
    const F near_zero =
        ops.fma(magnitude, detail::polynomial(ops, square, detail::erf_near_zero), magnitude);
    // Beyond 4 the result is 1.
    const F logarithm = detail::polynomial(ops, detail::at_most(ops, magnitude, 4.0f), l);
    const F far = ops.sub(ops.constant(1), detail::exp_within(ops, logarithm));
    return detail::with_sign_of(
        ops, ops.select(ops.less(magnitude, ops.constant(0.9f)), near_zero, far), x);
}

template <class Ops, class F>
CATENA_MATH_INLINE F erfc_approx(const Ops& ops, F x) {
    const F magnitude = detail::absolute(ops, x), square = ops.mul(x, x);
    const F near_zero =
        ops.fma(ops.sub(ops.constant(0), x), detail::polynomial(ops, square, detail::erf_near_zero),
                ops.sub(ops.constant(1), x));
    // Beyond 10.1 the result is 0.
    const F above = detail::erfc_far(ops, detail::at_most(ops, magnitude, 10.1f));
    const F far = ops.select(ops.less(x, ops.constant(0)), ops.sub(ops.constant(2), above), above);
    return ops.select(ops.less(magnitude, ops.constant(0.75f)), near_zero, far);
}

template <class Ops, class F>
CATENA_MATH_INLINE F sin_approx(const Ops& ops, F x) {
    const F magnitude = detail::absolute(ops, x);
    const auto reduced = detail::reduce_angle(ops, x);
    const F y = detail::sin_in_quadrant(ops, reduced.number, reduced.integer);
    const F kept = ops.select(ops.less(magnitude, ops.constant(0x1p-13f)), x, y);  // -0 too.
    return ops.libm_where(ops.less(ops.constant(detail::largest_angle), magnitude), kept, x,
                          LibmFunction::sin);
}

template <class Ops, class F>
CATENA_MATH_INLINE F cos_approx(const Ops& ops, F x) {
    const auto reduced = detail::reduce_angle(ops, x);
    const F y =
        detail::sin_in_quadrant(ops, reduced.number, ops.iadd(reduced.integer, ops.integer(1)));
    return ops.libm_where(ops.less(ops.constant(detail::largest_angle), detail::absolute(ops, x)),
                          y, x, LibmFunction::cos);
}

#undef CATENA_MATH_INLINE

}  // namespace catena::math
