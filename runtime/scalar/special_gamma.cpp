#include <numbers>

#include "runtime/scalar/special.h"

namespace catena {
namespace {

using std::numbers::pi;

/// x less the nearest integer, exactly.
Symbol from_nearest(Symbol x) { return x - floor(x + 0.5); }

/// log(gamma(2 + u)) / u for |u| <= 1/2: a Chebyshev fit, error 7e-20.
Symbol lgamma_near_two(Symbol u) {
    return polynomial(
        u, {0.42278433509846713945,    0.32246703342411321821,    -0.067352301053198139376,
            0.020580808427784569018,   -0.0073855510286681536759, 0.002890510330738736988,
            -0.0011927539120010226282, 0.00050966952488530960643, -0.00022315475074520367283,
            9.9457509098893915718e-5,  -4.4926351103833331068e-5, 2.0507267416057787609e-5,
            -9.4384587162428111654e-6, 4.3743749169151307214e-6,  -2.0449201467015115028e-6,
            9.5786633341147577133e-7,  -4.3035587603599612108e-7, 2.030480675161522786e-7,
            -1.3412819758517285546e-7, 6.3790475076197737211e-8});
}

/// lgamma of x in [0, 8]: the recurrence moves x into [1.5, 2.5], exactly from [0.5, 1.5], so that
/// the zero at 1 keeps its digits as the one at 2 does.
Symbol lgamma_of_small(Symbol x) {
    const Symbol low = x < 1.5, lower = x < 0.5;
    Symbol u = select(lower, x, select(low, x - 1, x - 2));
    const Symbol divisor = select(low, x * select(lower, x + 1, 1), 1);
    Symbol product = literal(x.formula(), 1);
    for (int step = 0; step < 6; ++step) {
        const Symbol high = u >= 0.5;
        product = product * select(high, u + 1, 1);
        u = select(high, u - 1, u);
    }
    const Symbol moved = log(select(low, divisor, product));
    return u * lgamma_near_two(u) + select(low, -moved, moved);
}

/// Stirling's series, x >= 8.
Symbol lgamma_of_large(Symbol x) {
    const Symbol inverse = 1 / x;
    const Symbol series =
        polynomial(inverse * inverse, {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188,
                                       -691.0 / 360360, 1.0 / 156, -3617.0 / 122400});
    constexpr double half_log_two_pi = 0.918938533204672741780;
    return (x - 0.5) * (log(x) - 1) + (half_log_two_pi - 0.5) + series * inverse;
}

Symbol lgamma_of_positive(Symbol x) {
    return select(x < 8, lgamma_of_small(minimum(x, 8)), lgamma_of_large(maximum(x, 8)));
}

/// The digamma function around its zero: x in [1, 2] (Boost.Math, digamma_imp_1_2). The zero is in
/// three parts.
Symbol digamma_near_zero(Symbol x) {
    const Symbol from_zero =
        x - 1.4616321325302124 - 1.243815006546356e-08 + 1.2654465062537433093e-16;
    const Symbol t = x - 1;
    const Symbol p =
        polynomial(t, {0.25479851061131551, -0.32555031186804491, -0.65031853770896507,
                       -0.28919126444774784, -0.045251321448739056, -0.0020713321167745952});
    const Symbol q =
        polynomial(t, {1.0, 2.0767117023730469, 1.4606242909763515, 0.43593529692665969,
                       0.054151797245674225, 0.0021284987017821144, -0.55789841321675513e-6});
    return from_zero * (0.99558162689208984375 + p / q);
}

/// The recurrence moves x up by ten, to where the asymptotic series is exact.
Symbol digamma_of_positive(Symbol x) {
    const Symbol small = x < 10, moved = minimum(x, 10);
    Symbol above = literal(x.formula(), 1),
           below = moved;  // their quotient: the sum of 1 / (x + k)
    for (int k = 1; k < 10; ++k) {
        const Symbol next = moved + k;
        above = above * next + below;
        below = below * next;
    }
    const Symbol w = select(small, x + 10, x), inverse = 1 / w;
    const Symbol square = inverse * inverse;
    const Symbol series = polynomial(
        square, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12});
    const Symbol y = log(w) - 0.5 * inverse - square * series - select(small, above / below, 0);
    const Symbol below_one = x < 1, near = digamma_near_zero(select(below_one, x + 1, x));
    return select(x < 2, select(below_one, near - 1 / x, near), y);
}

/// Derivative n of pi cot(pi x), for n to 4; NaN beyond.
Symbol cotangent_derivative(Symbol n, Symbol x) {
    const Symbol angle = from_nearest(x) * pi;
    const Symbol c = cos(angle) / sin(angle), d = c * c + 1;
    const Symbol none = sqrt(literal(x.formula(), -1));
    const Symbol y3 = select(n == 4, 8 * pi * pi * pi * pi * pi * c * d * (3 * c * c + 2), none);
    const Symbol y2 = select(n == 3, -2 * pi * pi * pi * pi * d * (3 * c * c + 1), y3);
    const Symbol y1 = select(n == 2, 2 * pi * pi * pi * c * d, y2);
    return select(n == 1, -pi * pi * d, select(n == 0, pi * c, y1));
}

Symbol is_even(Symbol n) { return n == floor(n * 0.5) * 2; }

Symbol factorial(Symbol n) {
    Symbol product = literal(n.formula(), 1);
    for (int k = 2; k <= 12; ++k) product = product * select(n >= k, double(k), 1.0);
    return select(n <= 12, product, exp(lgamma(n + 1)));
}

}  // namespace

// gamma(x) gamma(1 - x) = pi / sin(pi x). The limit keeps inf - inf away: so large an x is a pole.
Symbol lgamma(Symbol x) {
    const Symbol reflected = x < 0;
    const Symbol y = lgamma_of_positive(select(reflected, 1 - x, x));
    const Symbol sine = select(x == floor(x), 0, absolute(sin(from_nearest(x) * pi)));
    return select(reflected, log(pi / sine) - minimum(y, 1e30), y);
}

Symbol digamma(Symbol x) {
    const Symbol reflected = x < 0;
    const Symbol y = digamma_of_positive(select(reflected, 1 - x, x));
    const Symbol angle = from_nearest(x) * pi;
    // NaN at the poles, where the limits of both sides differ.
    return select(reflected, y - pi * select(angle == 0, 0, cos(angle)) / sin(angle), y);
}

// Ten terms, then the Euler-Maclaurin sum with coefficients B_2j / (2j)!.
Symbol zeta(Symbol x, Symbol q) {
    Symbol sum = pow(q, -x);
    for (int k = 1; k < 10; ++k) sum = sum + pow(q + k, -x);
    const Symbol w = q + 10, power = pow(w, -x), inverse = 1 / w;
    sum = sum + power * w / (x - 1) + 0.5 * power;
    constexpr double coefficients[] = {1.0 / 12,
                                       -1.0 / 720,
                                       1.0 / 30240,
                                       -1.0 / 1209600,
                                       1.0 / 47900160,
                                       -1.0 / 1.8924375803183791606e9,
                                       1.0 / 7.47242496e10,
                                       -1.0 / 2.950130727918164224e12,
                                       1.0 / 1.1646782814350067249e14,
                                       -1.0 / 4.5979787224074726105e15};
    Symbol factor = power * x * inverse;
    int j = 1;
    for (double c : coefficients) {
        sum = sum + factor * c;
        factor = factor * ((x + j) * inverse) * ((x + (j + 1)) * inverse);
        j += 2;
    }
    sum = select(inverse == 0 && x > 1, power, sum);  // of infinite q, where power * w is 0 * inf
    const Symbol from_one = select(x < 1, sqrt(x - 1), sum);
    return select(q < 0, sqrt(q), from_one);
}

Symbol polygamma(Symbol n, Symbol x) {
    const Symbol reflected = x < 0, positive = select(reflected, 1 - x, x);
    const Symbol size = factorial(n) * zeta(n + 1, positive), even = is_even(n);
    const Symbol series = select(even, -size, size);
    const Symbol y = select(n == 0, digamma_of_positive(positive), series);
    return select(reflected, select(even, y, -y) - cotangent_derivative(n, x), y);
}

}  // namespace catena
