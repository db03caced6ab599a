#include <numbers>

#include "runtime/scalar/special.h"

namespace catena {
namespace {

constexpr double inverse_sqrt_2 = std::numbers::sqrt2 / 2;

/// erfcx of x >= 0. (1 + 2x) erfcx(x) is a polynomial of (x - 3.75) / (x + 3.75), as Shepherd and
/// Laframboise (1981) found; this one is a Chebyshev fit of degree 24 with an error of 6e-18.
Symbol erfcx_of_positive(Symbol x) {
    const Symbol t = 1 - 7.5 / (x + 3.75);
    const Symbol p = polynomial(
        t, {1.2375126308378275819,     -0.14024059858554696191,   0.0035854154854637749642,
            0.082276738490145159123,   -0.10880393014171785779,   0.092304321160378767141,
            -0.058693398590212367225,  0.028362277418940664799,   -0.0097465795525042429682,
            0.0017556258530017257945,  0.00029371363428500812575, -0.0002901540809795271307,
            5.1649211390702851871e-5,  2.2384240314224438333e-5,  -1.1444412439171723062e-5,
            -9.735619015182663294e-7,  1.7520579701663181024e-6,  -5.721597255990987179e-8,
            -2.5910696877966578529e-7, 2.3261913276696567394e-8,  3.8965452548985968109e-8,
            -3.7435680336345832166e-9, -5.2842869796314205662e-9, 3.1103107198391649931e-10,
            4.4349590700096282602e-10});
    return p / (1 + 2 * x);
}

/// exp(factor x^2) for x >= 0, with x^2 in two parts, since exp would magnify its rounding. Beyond
/// 40 it is inf or 0.
Symbol exp_of_square(Symbol x, double factor) {
    const Symbol limited = minimum(x, 40);
    const Symbol head = trunc(limited * 16) * 0.0625, rest = limited - head;
    return exp(head * head * factor) * exp(rest * (limited + head) * factor);
}

/// The normal distribution's probability of more than x >= 0.
Symbol normal_tail(Symbol x) {
    return 0.5 * erfcx_of_positive(x * inverse_sqrt_2) * exp_of_square(x, -0.5);
}

/// The point below which the normal distribution has probability 1/2 + centre, and which has
/// probability `tail` on its other side than the mean: Wichura's algorithm AS 241 (1988), three
/// quotients of polynomials.
Symbol normal_quantile(Symbol centre, Symbol tail) {
    const Symbol c = 0.180625 - centre * centre;
    const Symbol c_above =
        polynomial(c, {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                       1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                       3.3430575583588128105e4, 2.5090809287301226727e3});
    const Symbol c_below =
        polynomial(c, {1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                       2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
                       5.2264952788528545610e3});
    const Symbol r = sqrt(-log(tail));
    const Symbol n = r - 1.6;
    const Symbol n_above = polynomial(
        n, {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
            3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
            2.27238449892691845833e-2, 7.74545014278341407640e-4});
    const Symbol n_below = polynomial(
        n, {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
            1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
            1.05075007164441684324e-9});
    const Symbol f = r - 5;
    const Symbol f_above = polynomial(
        f, {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
            2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
            2.71155556874348757815e-5, 2.01033439929228813265e-7});
    const Symbol f_below = polynomial(
        f, {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
            7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
            2.04426310338993978564e-15});
    const Symbol central = absolute(centre) <= 0.425, near = r <= 5;
    const Symbol y = select(central, centre * c_above, select(near, n_above, f_above)) /
                     select(central, c_below, select(near, n_below, f_below));
    const Symbol far = select(tail > 0, y, r);  // r is inf of 0 and NaN below
    return select(central, y, select(centre < 0, -far, far));
}

}  // namespace

// Below 0 it is 2 exp(x^2) less that of -x.
Symbol erfcx(Symbol x) {
    const Symbol size = absolute(x), positive = erfcx_of_positive(size);
    return select(x < 0, 2 * exp_of_square(size, 1) - positive, positive);
}

Symbol ndtr(Symbol x) {
    const Symbol size = absolute(x), tail = normal_tail(size);
    return select(size < 1, 0.5 * erfc(x * -inverse_sqrt_2), select(x < 0, tail, 1 - tail));
}

Symbol log_ndtr(Symbol x) {
    const Symbol size = absolute(x);
    const Symbol lower = log(0.5 * erfcx_of_positive(size * inverse_sqrt_2)) - size * size * 0.5;
    const Symbol above = select(x < 1, 0.5 * erfc(x * inverse_sqrt_2), normal_tail(size));
    return select(x < -1, lower, log1p(-above));
}

Symbol ndtri(Symbol p) { return normal_quantile(p - 0.5, select(p < 0.5, p, 1 - p)); }

Symbol erfinv(Symbol x) {
    return normal_quantile(x * 0.5, (1 - absolute(x)) * 0.5) * inverse_sqrt_2;
}

Symbol erfcinv(Symbol x) {
    return normal_quantile((1 - x) * 0.5, select(x < 1, x, 2 - x) * 0.5) * inverse_sqrt_2;
}

}  // namespace catena
