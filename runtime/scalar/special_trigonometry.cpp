#include <limits>
#include <numbers>

#include "runtime/scalar/special.h"

namespace catena {
namespace {

using std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

Symbol with_sign_of(Symbol magnitude, Symbol x) { return select(x < 0, -magnitude, magnitude); }
/// True of -0, too.
Symbol is_negative(Symbol x) { return x < 0 || 1 / x < 0; }

/// asin(s) / s - 1 of s^2, for s in [0, 1/2] (FreeBSD's e_asin.c).
Symbol arcsin_tail(Symbol z) {
    const Symbol p = polynomial(
        z, {1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
            -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05});
    const Symbol q = polynomial(z, {1, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
                                    -6.88283971605453293030e-01, 7.70381505559019352791e-02});
    return z * p / q;
}

/// The arcsine of `near` |x| itself, where that is at most 1/2, else of the square root of (1 -
/// |x|) / 2.
struct HalfAngle {
    Symbol far;
    Symbol angle;
};
HalfAngle half_angle(Symbol magnitude) {
    const Symbol far = magnitude > 0.5;
    const Symbol z = select(far, (1 - magnitude) * 0.5, magnitude * magnitude);
    const Symbol s = select(far, sqrt(z), magnitude);
    return {far, s + s * arcsin_tail(z)};
}

}  // namespace

Symbol polynomial(Symbol x, std::initializer_list<double> c) {
    Symbol sum = literal(x.formula(), c.end()[-1]);
    for (size_t i = c.size() - 1; i-- > 0;) sum = sum * x + c.begin()[i];
    return sum;
}

Symbol arcsin(Symbol x) {
    const HalfAngle a = half_angle(absolute(x));
    return with_sign_of(select(a.far, pi / 2 - a.angle * 2, a.angle), x);
}

Symbol arccos(Symbol x) {
    const HalfAngle a = half_angle(absolute(x));
    const Symbol far = select(x < 0, pi - a.angle * 2, a.angle * 2);
    return select(a.far, far, pi / 2 - with_sign_of(a.angle, x));
}

// Cephes, atan.c: |x| is reduced to [-0.42, 0.66] by tan(u - pi/4) or tan(u - pi/2).
Symbol arctan(Symbol x) {
    const Symbol size = absolute(x);
    const Symbol large = size > 2.41421356237309504880, middle = size > 0.66;
    const Symbol z = select(large, -1, select(middle, size - 1, size)) /
                     select(large, size, select(middle, size + 1, 1));
    const Symbol square = z * z;
    const Symbol p = polynomial(
        square, {-6.485021904942025371773e1, -1.228866684490136173410e2, -7.500855792314704667340e1,
                 -1.615753718733365076637e1, -8.750608600031904122785e-1});
    const Symbol q = polynomial(
        square, {1.945506571482613964425e2, 4.853903996359136964868e2, 4.328810604912902668951e2,
                 1.650270098316988542046e2, 2.485846490142306297962e1, 1});
    const Symbol base = select(large, literal(x.formula(), pi / 2), select(middle, pi / 4, 0.0));
    return with_sign_of(base + (z + z * (square * p / q)), x);
}

Symbol arctan2(Symbol y, Symbol x) {
    const Symbol width = absolute(x), height = absolute(y);
    const Symbol small = minimum(width, height), large = maximum(width, height);
    const Symbol equal = select(large == 0, 0.0, 1.0);
    const Symbol acute = arctan(select(small == large, equal, small / large));
    const Symbol upright = select(height > width, pi / 2 - acute, acute);
    const Symbol angle = select(is_negative(x), pi - upright, upright);
    return select(is_negative(y), -angle, angle);
}

// The larger side times the root for a triangle whose larger side is 1: its squares do not
// overflow.
Symbol hypot(Symbol x, Symbol y) {
    const Symbol width = absolute(x), height = absolute(y);
    const Symbol small = minimum(width, height), large = maximum(width, height);
    const Symbol ratio = select(large == 0, 0.0, small / large);
    const Symbol length = large * sqrt(ratio * ratio + 1);
    return select(width == infinity || height == infinity, infinity, length);
}

// Beyond 1e8 the logarithm of 2x, whose squares may overflow.
Symbol arcsinh(Symbol x) {
    const Symbol a = absolute(x), square = a * a;
    const Symbol y = log1p(a + square / (1 + sqrt(1 + square)));
    return with_sign_of(select(a > 1e8, log(a) + std::numbers::ln2, y), x);
}
Symbol arccosh(Symbol x) {
    const Symbol t = x - 1;
    const Symbol y = log1p(t + sqrt(t) * sqrt(t + 2));
    return select(x > 1e8, log(x) + std::numbers::ln2, y);
}
Symbol arctanh(Symbol x) {
    const Symbol a = absolute(x);
    return with_sign_of(log1p(a * 2 / (1 - a)) * 0.5, x);
}

Symbol sinc(Symbol x) {
    const Symbol angle = x * pi;
    return select(x == 0, 1, sin(angle) / select(x == 0, 1, angle));
}

}  // namespace catena
